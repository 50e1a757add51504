import Foundation

extension PipelineAdapter {
    func headAndBytes() throws(ServiceError) -> (HTTPURLResponse, Data) { (try successHead(), try bytes()) }

    /// Returns the response's head. For recovered content, creates one with status 200 and the entity's header fields.
    func successHead() throws(ServiceError) -> HTTPURLResponse {
        if let head { return head }
        guard case .recovered(let entity, let url?, _) = source,
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: entity.headers.combined)
        else { throw ServiceError(.invalidResponse, detail: "the response's head can't be created") }
        return head
    }

    func bytes() throws(ServiceError) -> Data {
        if let response { return response.data }
        return try (results.loadedBytes ?? loadBytes()).get()
    }

    func json() throws(ServiceError) -> JSON {
        guard let json = prepared(for: .json).results.json else { return .missing }
        return try json.get()
    }

    func text() throws(ServiceError) -> String {
        guard let text = prepared(for: .text).results.text else { return "" }
        return try text.get()
    }

    func entity() throws(ServiceError) -> Entity<any Sendable> {
        guard let output = prepared(for: .entity).results.output else { return rawEntity }
        return try output.get()
    }

    func decodedJSON<Value: Decodable>(as type: Value.Type) throws(ServiceError) -> Value {
        if let optional = type as? any OptionalValue.Type, hasEmptyBody,
            let absent = optional.absent as? Value
        {
            return absent
        }
        return try decodingJSON("the JSON can't be decoded as \(type)") {
            try $0.decode(type, options: plan.jsonDecoding)
        }
    }

    /// Returns a value decoded from JSON, or recovered content that already has the type.
    func decodedJSON<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        if case .recovered = source, let value = model as? Value { return value }
        return try decodingJSON("the JSON can't be decoded as \(Value.self)") { json in
            try JSON.DecodingOptions.reading(by: plan.ownDecoding) { try decoding.value(from: json) }
        }
    }

    private var hasEmptyBody: Bool { hasBytes && (try? bodyEntity())?.isEmpty ?? false }

    private func decodingJSON<Value>(
        _ detail: @autoclosure () -> String, _ decode: (JSON) throws -> Value
    ) throws(ServiceError) -> Value {
        let json = try json()
        do {
            return try decode(json)
        } catch {
            throw failure(.undecodable, detail: detail(), underlying: error)
        }
    }

    func mismatch(expected: Any.Type, actual: any Sendable) -> ServiceError {
        let reason = ServiceError.Reason.contentMismatch(
            expected: "\(expected)", actual: "\(type(of: actual))")
        let isDecodable = actual is JSON && expected is any Decodable.Type
        let hint = isDecodable ? ", use decoded(as: \(expected).self) instead" : ""
        return plan.explained(failure(reason, detail: "the content isn't of type \(expected)\(hint)"), maker)
    }

    private func failure(
        _ reason: ServiceError.Reason, detail: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(
            reason, detail: detail, response: head, entity: prepared(for: .entity).errorEntity,
            underlying: underlying)
    }
}

/// An optional type. Other types that accept a `nil` literal, such as ``JSON``, don't conform.
private protocol OptionalValue {
    static var absent: Any { get }
}

extension Optional: OptionalValue {
    fileprivate static var absent: Any { Self.none as Any }
}
