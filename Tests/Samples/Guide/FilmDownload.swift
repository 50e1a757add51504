import Foundation
import Observation
import Swallow

@MainActor @Observable
final class FilmDownload {
    private(set) var fraction: Double?
    private(set) var message = ""
    private let service: WebService
    private let file: URL

    init(_ service: WebService, to file: URL) {
        self.service = service
        self.file = file
    }

    func run() async {
        let download = Request.Option.download(to: file, resumes: true)
        let task = service.GET("/film", options: [download])
            .downloadProgress { progress in self.fraction = progress.fraction }
        do throws(ServiceError) {
            let film = try await task.content(as: URL.self)
            message = "\(film.lastPathComponent) is here."
        } catch {
            if !error.isCancelled { message = error.userMessage }
        }
    }
}
