import Foundation

struct ResponseHead: Sendable {
    private enum Form: Sendable {
        case made(HTTPURLResponse)
        case deferred(Lock<Response>)
    }

    private enum Response: Sendable {
        case deferred(contentType: (@Sendable () -> String?)?, make: @Sendable () -> HTTPURLResponse)
        case made(HTTPURLResponse)
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
        form = .deferred(Lock(.deferred(contentType: contentType, make: make)))
    }

    var response: HTTPURLResponse {
        switch form {
        case .made(let response): response
        case .deferred(let lock):
            lock.withLock { state in
                switch state {
                case .made(let response): return response
                case .deferred(_, let make):
                    let response = make()
                    state = .made(response)
                    return response
                }
            }
        }
    }

    var contentType: String? {
        if case .deferred(let lock) = form, case .deferred(let contentType?, _) = lock.withLock({ $0 }) {
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
