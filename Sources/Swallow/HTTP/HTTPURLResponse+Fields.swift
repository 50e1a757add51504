import Foundation

extension Headers {
    /// Creates headers from the fields of a response, in the order of their names.
    public init(_ response: HTTPURLResponse) {
        self.init(response.fields)
    }
}

extension HTTPURLResponse {
    /// The fields as text. `allHeaderFields` doesn't guarantee this type.
    var fields: [String: String] {
        Dictionary(allHeaderFields.map { ("\($0)", "\($1)") }) { first, _ in first }
    }
}
