import Foundation

/// Finds a value of a type in a response. The value is the content if it has this type, otherwise the body's bytes, or
/// a value that is decoded from the body. A policy may permit only some of these.
struct ContentPolicy: Sendable {
    private enum Decoded { case never, unlessModelOrText, always }

    private var takesParsed = false
    private var givesBytes = false
    private var decoded = Decoded.always

    static let content = ContentPolicy(takesParsed: true, decoded: .never)
    static let contentOrBody = ContentPolicy(
        takesParsed: true, givesBytes: true, decoded: .unlessModelOrText)
    static let body = ContentPolicy()
    static let future = ContentPolicy(givesBytes: true)
    static let resource = ContentPolicy(takesParsed: true, givesBytes: true)

    /// - Parameter decode: Decodes the body. Returns `nil` if the type isn't `Decodable`.
    fileprivate func find<Value>(
        _ type: Value.Type, in adapter: PipelineAdapter, decode: () throws(ServiceError) -> Value?
    ) throws(ServiceError) -> Value {
        if let model = adapter.model, let value = model as? Value { return value }
        if takesParsed, let parsed = try parsedContent(of: adapter), let value = parsed as? Value {
            return value
        }
        if givesBytes, type == Data.self, let bytes = try adapter.bytes() as? Value { return bytes }
        if try mayDecode(adapter), let value = try decode() { return value }
        throw adapter.mismatch(expected: type, actual: try adapter.entity().content)
    }

    /// Returns the pipeline's content, or `nil` if the pipeline failed and `decoded` is `.always`.
    private func parsedContent(of adapter: PipelineAdapter) throws(ServiceError) -> (any Sendable)? {
        do throws(ServiceError) {
            return try adapter.entity().content
        } catch {
            if case .always = decoded { return nil }
            throw error
        }
    }

    private func mayDecode(_ adapter: PipelineAdapter) throws(ServiceError) -> Bool {
        switch decoded {
        case .never: return false
        case .always: return true
        case .unlessModelOrText:
            let content = try adapter.entity().content
            return content is JSON || content is Data || adapter.isFile
        }
    }
}

extension PipelineAdapter {
    func decodableValue<Value: Decodable>(
        as type: Value.Type, by policy: ContentPolicy
    ) throws(ServiceError) -> Value {
        try policy.find(type, in: self) { () throws(ServiceError) in try decodedJSON(as: type) }
    }

    func value<Value>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value {
        try policy.find(type, in: self) { () throws(ServiceError) in
            guard let decodable = type as? any Decodable.Type else { return nil }
            return try decodedJSON(as: decodable) as? Value
        }
    }
}
