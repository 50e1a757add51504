import Foundation

/// The output of the stages so far.
struct PipelineOutput: Sendable {
    private(set) var response: Response
    /// The last bytes that a stage gave: parsing on demand starts from them, so that no decrypting stage is bypassed.
    private(set) var data: Data
    /// The last JSON that was made of these bytes.
    private(set) var json: JSON?
    /// The last text that was made of these bytes.
    private(set) var text: String?
    /// What gave the content its type; nil where that is as received, or came from a cache.
    private(set) var maker: ContentMaker?
    /// The content's type; nil for a failure.
    private var type: Any.Type?

    init(_ response: Response, data: Data, json: JSON? = nil, text: String? = nil) {
        self.response = response
        self.data = data
        self.json = json
        self.text = text
        note()
    }

    init(_ input: PipelineInput) {
        switch (input.response, input.error) {
        case (let response?, nil): self.init(.success(response.entity), data: response.data)
        case (let response?, var error?):
            error.entity = error.entity ?? response.entity
            self.init(.failure(error), data: response.data)
        case (nil, let error): self.init(.failure(error ?? ServiceError(.invalidResponse)), data: Data())
        }
    }

    mutating func apply(
        _ transformer: any ResponseTransformer, at place: ContentMaker, of plan: PipelinePlan
    ) {
        let previous = type
        response = transformer.process(response)
        note()
        if let previous, let type {
            if type != previous { maker = place }
        } else if previous != nil, case .failure(let error) = response {
            response = .failure(plan.explained(error, maker))
        }
    }

    /// Remembers what handlers may ask for. A response is looked into once, since copying one takes 0.2 µs; the types are
    /// compared first, since a cast that fails costs 0.1 µs.
    private mutating func note() {
        guard case .success(let entity) = response else {
            type = nil
            return
        }
        let new = Swift.type(of: entity.content) as Any.Type
        type = new
        if new == Data.self, let data = entity.content as? Data {
            (self.data, json, text) = (data, nil, nil)
        } else if new == JSON.self {
            json = entity.content as? JSON
        } else if new == String.self {
            text = entity.content as? String
        }
    }
}
