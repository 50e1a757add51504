import Foundation

extension WebService {
    /// Returns a future of a path's content, in the form that resources use.
    func resource<Content: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: Content.Type
    ) -> ServiceFuture<Content> {
        future({ $0.GET(path, parameters: parameters) }, needing: .entity) {
            try $0.value(as: type, by: .resource)
        }
    }

    /// Returns the URL of a GET request, as encoded before `WebService.Configuration.adaptRequest` runs, or `nil` if
    /// there is no valid URL.
    func address(_ path: Request.Path, _ parameters: Parameters) -> String? {
        let request = Request(
            .GET, baseURLString: baseURLString, path: path, parameters: parameters,
            configuration: configuration(of: .GET, path))
        return (try? request.encoded())?.url?.absoluteString
    }
}

extension ServiceTask {
    /// The URL that the task's request is encoded with, or `nil` if there is no valid URL.
    var address: String? { (try? request.encoded())?.url?.absoluteString }
}
