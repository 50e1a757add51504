import Foundation
import Swallow

extension WebService {
    /// Opens a WebSocket (RFC 6455). It connects immediately.
    ///
    /// ```swift
    /// let feed = service.webSocket("/feed", protocols: ["v2"])
    /// for try await message in feed.messages { show(message) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: A path that is appended to the base URL's path, or a complete `http` or `https` URL, which stand for `ws`
    ///     and `wss`.
    ///   - protocols: The subprotocols, of which the server may choose one. Empty by default.
    ///   - parameters: The parameters in the query.
    ///   - options: The settings of the handshake that differ from the service's configuration. A `timeout` limits the
    ///     handshake.
    ///   - settings: The settings of the WebSocket.
    public func webSocket(
        _ path: Request.Path, protocols: [String] = [], parameters: Parameters = [:],
        options: [Request.Option] = [], settings: WebSocket.Settings = WebSocket.Settings()
    ) -> WebSocket {
        let handshake = WebSocketHandshake(
            subprotocols: protocols, offersDeflate: settings.compresses && WebSocketDeflate.isAvailable)
        let link = link(handshake, settings, path, parameters, options)
        let configuration = configuration(of: .GET, path)
        return WebSocket(
            WebSocketCore(link, settings, clock),
            json: (configuration.jsonEncoding, configuration.jsonDecoding))
    }

    private func link(
        _ handshake: WebSocketHandshake, _ settings: WebSocket.Settings, _ path: Request.Path,
        _ parameters: Parameters, _ options: [Request.Option]
    ) -> any WebSocketLink {
        if let problem = handshake.problem ?? tunnelProblem {
            return FailedLink(ServiceError(.invalidRequest, detail: problem))
        }
        #if !canImport(FoundationNetworking)
            if let makeSocket = dataSource.makeWebSocket {
                return SessionLink(handshake, settings, makeSocket: makeSocket) { link in
                    var service = self
                    service.dataSource = link
                    let names = handshake.subprotocols.joined(separator: ", ")
                    let field: [Request.Option] =
                        names.isEmpty ? [] : [.header("Sec-WebSocket-Protocol", names)]
                    return service.upgrade(path, parameters: parameters, options: options + field)
                }
            }
        #endif
        return TunnelLink(handshake, settings) { link in
            self.tunnel(path, parameters: parameters, options: options, fields: handshake.fields) { send in
                try await link.send(to: send)
            }
        }
    }
}

/// A WebSocket that can't be opened.
final class FailedLink: WebSocketLink {
    private let error: ServiceError

    init(_ error: ServiceError) { self.error = error }

    func run(for owner: any WebSocketLinkOwner) async {
        owner.ended(WebSocket.CloseStatus(code: .abnormal), error)
    }

    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool { throw error }
    func sendPing(_ onPong: @escaping @Sendable () -> Void) {}
    func close(_ closeStatus: WebSocket.CloseStatus) {}
    func cancel() {}
}
