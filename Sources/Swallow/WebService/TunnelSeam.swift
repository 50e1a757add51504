import Foundation

// Package declarations for SwallowWebSockets. `Reconnection` and a few others are in other files.

extension WebService {
    /// Returns a task that asks to switch protocols (RFC 9110 §7.8), and the bytes that follow. Reading the head or the
    /// bytes sends the request. Any status but 101 fails the task. `send` runs each time the request is sent.
    package func tunnel(
        _ path: Request.Path, parameters: Parameters, options: [Request.Option], fields: [String: String],
        sending send: @escaping @Sendable (_ send: @Sendable (Data) async throws -> Void) async throws -> Void
    ) -> (task: ServiceTask, bytes: ResponseBody) {
        let task = upgrade(path, parameters: parameters, options: options)
        let bytes = ResponseBody(task) { request in
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            request.streamedBody = .tunnel(send)
        }
        return (task, bytes)
    }

    /// Returns a GET task that accepts only status 101 and hasn't been started.
    package func upgrade(
        _ path: Request.Path, parameters: Parameters, options: [Request.Option]
    ) -> ServiceTask {
        unstarted.GET(
            path, parameters: parameters,
            options: options + [.acceptableStatusCodes(101), .cachePolicy(.ignore)])
    }
}

#if !canImport(FoundationNetworking)
    extension SessionDataTaskDataSource {
        /// The function that creates a WebSocket in the data source's session. `nil` if the data source has no session.
        package var makeWebSocket: (@Sendable (URLRequest) -> URLSessionWebSocketTask?)? {
            switch self {
            case let source as URLSessionDataSource: { source.sessions.webSocket(with: $0) }
            case let session as URLSession: { session.webSocketTask(with: $0) }
            default: nil
            }
        }
    }
#endif
