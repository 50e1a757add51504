import Foundation

extension Headers {
    /// Creates headers from the fields of a response, sorted by name.
    public init(_ response: HTTPURLResponse) {
        self.init(response.fields)
    }
}

extension HTTPURLResponse {
    /// The fields as text. The type of `allHeaderFields` doesn't guarantee text.
    var fields: [String: String] {
        Dictionary(allHeaderFields.map { ("\($0)", "\($1)") }) { first, _ in first }
    }
}
