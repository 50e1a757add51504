import Foundation
import Swallow

extension WebService {
    /// A service that fetches and sends files, and tries again where a connection is lost.
    ///
    /// - Parameter onRetry: gets the URL of a request that will be sent again.
    static func files(onRetry: @escaping @Sendable (String) -> Void) -> WebService {
        // Each request has its own URL.
        var service = WebService(baseURLString: "")
        service.configure { $0.retry = .standard }
        service.log = { event in
            if case .retry(let request, _, _, _) = event { onRetry(request.url) }
        }
        return service
    }

    /// Fetches a file into a folder; another attempt, or another run, continues the part that is there.
    func fetch(_ url: URL, into folder: URL) -> ServiceTask {
        GET(url, options: [.download(to: folder.appending(path: url.fileName), resumes: true)])
    }

    /// Sends a file.
    func send(_ file: URL, to url: URL) -> ServiceTask {
        PUT(url, options: [.body(file: file)])
    }
}

extension URL {
    /// The last part of the path; `index` where that has none.
    var fileName: String {
        lastPathComponent.isEmpty || lastPathComponent == "/" ? "index" : lastPathComponent
    }
}
