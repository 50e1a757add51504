import Foundation

extension WebService {
    /// A future of a path's content, as resources take it.
    func resource<Content: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: Content.Type
    ) -> ServiceFuture<Content> {
        future({ $0.GET(path, parameters: parameters) }, needing: .entity) {
            try $0.value(as: type, by: .resource)
        }
    }

    /// The URL of a GET request, as encoded before `Configuration.adaptRequest`; nil where there is none.
    func address(_ path: Request.Path, _ parameters: Parameters) -> String? {
        let request = Request(
            .GET, baseURLString: baseURLString, path: path, parameters: parameters,
            configuration: configuration(of: .GET, path))
        return (try? request.encoded())?.url?.absoluteString
    }
}

extension ServiceTask {
    /// The URL that its request is encoded with; nil where there is none.
    var address: String? { (try? request.encoded())?.url?.absoluteString }
}
