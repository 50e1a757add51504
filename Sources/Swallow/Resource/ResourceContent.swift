import Foundation

extension WebService {
    /// A future of a path's content, as resources take it.
    func resource<Content: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: Content.Type
    ) -> ServiceFuture<Content> {
        future({ $0.GET(path, parameters: parameters) }, needing: .entity) { try $0.content(of: type) }
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

extension ContentReader {
    /// What the pipeline makes, if it is of a type; else the body decoded as that, or for `JSON` and `Data` the body.
    func content<Content: Sendable>(of type: Content.Type) throws(ServiceError) -> Content {
        let made = Result { () throws(ServiceError) in try entity() }
        if case .success(let entity) = made, let content = entity.content as? Content { return content }
        if type == JSON.self, let json = try json() as? Content { return json }
        if type == Data.self, let data = try bytes() as? Content { return data }
        if let decodable = type as? any (Decodable & Sendable).Type,
            let content = try decoded(as: decodable) as? Content
        {
            return content
        }
        return try content(as: type)
    }

    /// Content with what the server said about it.
    func entity<Content: Sendable>(of type: Content.Type) throws(ServiceError) -> Entity<Content> {
        content.rawEntity.withContent(try content(of: type))
    }
}
