import Foundation
import Swallow

extension WebService {
    /// A service that downloads and uploads files, and retries after a lost connection.
    ///
    /// - Parameter onRetry: Receives the URL of a request that will be sent again.
    static func files(onRetry: @escaping @Sendable (String) -> Void) -> WebService {
        // The paths of the requests are complete URLs.
        var service = WebService(baseURLString: "")
        service.configure { $0.retry = .standard }
        service.log = { event in
            if case .retry(let request, _, _, _) = event { onRetry(request.url) }
        }
        return service
    }

    /// Downloads a file to a folder. If a partial file exists, the download resumes.
    func fetch(_ url: URL, into folder: URL) -> ServiceTask {
        GET(url, options: [.download(to: folder.appending(path: url.fileName), resumes: true)])
    }

    /// Uploads a file.
    func send(_ file: URL, to url: URL) -> ServiceTask {
        PUT(url, options: [.body(file: file)])
    }
}

extension URL {
    /// The last component of the path, or `index` if the path is empty.
    var fileName: String {
        lastPathComponent.isEmpty || lastPathComponent == "/" ? "index" : lastPathComponent
    }
}
