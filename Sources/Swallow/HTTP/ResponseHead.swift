import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The `HTTPURLResponse` may be created when it is first read. On Linux, this takes a sixth of a request's CPU time.
struct ResponseHead: Sendable {
    private enum Form: Sendable {
        case made(HTTPURLResponse)
        case due(Maker)
    }

    let statusCode: Int
    private let form: Form

    init(_ response: HTTPURLResponse) {
        statusCode = response.statusCode
        form = .made(response)
    }

    /// `contentType` returns the field if it is known without the response. `make` is called at most once.
    init(
        statusCode: Int, contentType: (@Sendable () -> String?)? = nil,
        making make: @escaping @Sendable () -> HTTPURLResponse
    ) {
        self.statusCode = statusCode
        form = .due(Maker(contentType, make))
    }

    var response: HTTPURLResponse {
        switch form {
        case .made(let response): response
        case .due(let maker): maker.response
        }
    }

    var contentType: String? {
        if case .due(let maker) = form, let contentType = maker.contentType { return contentType() }
        return response.value(forHTTPHeaderField: "Content-Type")
    }

    private final class Maker: Sendable {
        private enum State: Sendable {
            case due(@Sendable () -> HTTPURLResponse)
            case made(HTTPURLResponse)
        }

        let contentType: (@Sendable () -> String?)?
        private let state: Lock<State>

        init(
            _ contentType: (@Sendable () -> String?)?, _ make: @escaping @Sendable () -> HTTPURLResponse
        ) {
            self.contentType = contentType
            state = Lock(.due(make))
        }

        var response: HTTPURLResponse {
            state.withLock { state in
                switch state {
                case .made(let response): return response
                case .due(let make):
                    let response = make()
                    state = .made(response)
                    return response
                }
            }
        }
    }
}
