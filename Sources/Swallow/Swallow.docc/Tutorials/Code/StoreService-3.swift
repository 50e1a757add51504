import Swallow

extension WebService {
    static func stores(dataSource: any SessionDataTaskDataSource) -> WebService {
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: dataSource)
        return service.configured { configuration in
            configuration.retry = .standard
            configuration.pipeline[.cleanup].add(ErrorMessage())
            configuration.pipeline[.rawData].cacheUsing(MemoryCache())
        }
    }
}

extension WebService {
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }
}

extension ServiceTask {
    @discardableResult
    func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self {
        responseDecoded(handler)
    }
}

struct ErrorMessage: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.mapError { error in
            var error = error
            if let message = error.json["message"].string { error.userMessage = message }
            return error
        }
    }
}
