import Swallow

extension WebService {
    /// The store locator's service: what its answers mean, for all requests in one place.
    static func storeLocator(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configureTransformer("/stores", methods: [.GET]) { (entity: Entity<JSON>) in
            try entity.content["stores"].decode([Store].self)
        }
        service.configureTransformer("/stores/**/*", decoding: Store.self)
        service.configure { configuration in
            configuration.pipeline[.cleanup].add(ServerMessage())
            configuration.pipeline[.model].cacheUsing(MemoryCache())
        }
        return service
    }
}

/// Takes the words for the user from the server, where it has any.
private struct ServerMessage: ResponseTransformer {
    func process(_ response: Response) -> Response {
        response.mapError { error in
            var error = error
            error.userMessage = error.json["message"].string ?? error.userMessage
            return error
        }
    }
}
