import Foundation
import Swallow

extension Encoding {
    func body(of value: Value) throws(ServiceError) -> Request.Option {
        try Self.body { try data(of: value) }
    }

    func body(of values: [Value]) throws(ServiceError) -> Request.Option {
        try Self.body { try data(of: values) }
    }

    private static func body(_ encode: () throws -> Data) throws(ServiceError) -> Request.Option {
        do {
            return .body(try encode(), contentType: "application/json")
        } catch {
            let detail = "\(Value.self) can't be encoded"
            throw ServiceError(.invalidRequest, detail: detail, underlying: error)
        }
    }
}
