import Foundation

/// Sends a name and a password in UTF-8 with each request (RFC 7617), even after the server has rejected them.
final class BasicCredentials: CredentialSource {
    var identity: String? { nil }

    private let field: String
    private let problem: ServiceError?

    init(_ user: String, _ password: String) {
        problem =
            user.utf8.contains(UInt8(ascii: ":"))
            ? ServiceError(.invalidRequest, detail: "the user name contains a colon")
            : ServiceError(controlCharacterIn: user, password)
        field = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int? {
        if let problem { throw problem }
        request.authorize(by: field)
        return 0
    }

    var acceptsEverySuccess: Bool { true }

    func decision(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialDecision { .accepted }
}

extension ServiceError {
    /// Creates the error for a control character in one of the texts (RFC 7617 §2), or returns `nil` if there is none.
    init?(controlCharacterIn texts: String...) {
        let hasOne = texts.contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
        guard hasOne else { return nil }
        self.init(.invalidRequest, detail: "the user name or the password contains a control character")
    }
}
