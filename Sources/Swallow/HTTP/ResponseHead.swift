import Foundation

struct ResponseHead: Sendable {
    private enum Form: Sendable {
        case made(HTTPURLResponse)
        case deferred(Lock<Deferred>)
    }

    private struct Deferred: Sendable {
        let contentType: (@Sendable () -> String?)?
        let make: @Sendable () -> HTTPURLResponse
        var made: HTTPURLResponse?
    }

    let statusCode: Int
    private let form: Form

    init(_ response: HTTPURLResponse) {
        statusCode = response.statusCode
        form = .made(response)
    }

    init(
        statusCode: Int, contentType: (@Sendable () -> String?)? = nil,
        making make: @escaping @Sendable () -> HTTPURLResponse
    ) {
        self.statusCode = statusCode
        form = .deferred(Lock(Deferred(contentType: contentType, make: make)))
    }

    var response: HTTPURLResponse {
        switch form {
        case .made(let response): response
        case .deferred(let lock):
            lock.withLock { deferred in
                let response = deferred.made ?? deferred.make()
                deferred.made = response
                return response
            }
        }
    }

    var contentType: String? {
        if case .deferred(let lock) = form, let contentType = lock.withLock({ $0.contentType }) {
            return contentType()
        }
        return response.value(forHTTPHeaderField: "Content-Type")
    }
}

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
