import Foundation

/// Who asks.
enum Credentials {
    case token(String)
    case basic(user: String, password: String)

    /// The value of the `Authorization` header (RFC 6750 §2.1, RFC 7617 §2).
    var authorization: String {
        switch self {
        case .token(let token): "Bearer \(token)"
        case .basic(let user, let password):
            "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        }
    }
}
