import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The head of an HTTP response, which may become an `HTTPURLResponse` only when it is looked at: on Linux that takes a
/// sixth of a small request's CPU time, and who wants the body seldom looks.
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

    /// - Parameter make: is called once or never.
    init(statusCode: Int, making make: @escaping @Sendable () -> HTTPURLResponse) {
        self.statusCode = statusCode
        form = .due(Maker(make))
    }

    /// The same object each time.
    var response: HTTPURLResponse {
        switch form {
        case .made(let response): response
        case .due(let maker): maker.response
        }
    }

    private final class Maker: Sendable {
        private enum State: Sendable {
            case due(@Sendable () -> HTTPURLResponse)
            case made(HTTPURLResponse)
        }

        private let state: Lock<State>

        init(_ make: @escaping @Sendable () -> HTTPURLResponse) {
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
