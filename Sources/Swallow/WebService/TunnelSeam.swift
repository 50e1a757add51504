import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The declarations through which SwallowWebSockets opens connections.

extension WebService {
    /// Asks a server for another protocol (RFC 9110 §7.8). The request isn't sent before the body's head or a part is
    /// read. Any status but 101 fails the task.
    ///
    /// - Parameters:
    ///   - fields: The fields of the handshake. They replace the service's own fields.
    ///   - send: Sends the bytes that follow the handshake. Called again if the handshake is sent again, so it must send
    ///     nothing before the head has arrived.
    /// - Returns: The task, and the bytes that the server sends after the handshake.
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

    /// Returns a task that hasn't started, for a data source that adds the fields of the handshake itself.
    package func upgrade(
        _ path: Request.Path, parameters: Parameters, options: [Request.Option]
    ) -> ServiceTask {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return service.GET(
            path, parameters: parameters,
            options: options + [.acceptableStatusCodes(101), .cachePolicy(.ignore)])
    }
}

#if !canImport(FoundationNetworking)
    extension SessionDataTaskDataSource {
        /// The function that creates a WebSocket in the data source's session. `nil` if there is no session.
        package var makeWebSocket: (@Sendable (URLRequest) -> URLSessionWebSocketTask?)? {
            switch self {
            case let source as URLSessionDataSource: { source.sessions.webSocket(with: $0) }
            case let session as URLSession: { session.webSocketTask(with: $0) }
            default: nil
            }
        }
    }
#endif
