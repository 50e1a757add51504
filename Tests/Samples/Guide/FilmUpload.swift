import Foundation
import Observation
import Swallow

@MainActor @Observable
final class FilmUpload {
    private(set) var fraction: Double?
    private(set) var message = ""
    private let service: WebService

    init(_ service: WebService) { self.service = service }

    func run(_ film: URL) async {
        let task = service.PUT("/films/41", options: [.body(file: film)])
            .uploadProgress { progress in
                if let fraction = progress.fraction { self.fraction = fraction }
            }
        do throws(ServiceError) {
            try await task.finished()
            message = "\(film.lastPathComponent) is sent."
        } catch {
            if !error.isCancelled { message = error.userMessage }
        }
    }
}
