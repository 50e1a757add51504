import Foundation
import Swallow

extension WebService {
    /// Returns a WebSocket (RFC 6455), which connects immediately.
    ///
    /// ```swift
    /// let feed = service.webSocket("/feed", protocols: ["v2"])
    /// for try await message in feed.messages { show(message) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: A path that is appended to the base URL's path, or a complete URL. `ws` and `http` mean the same, and
    ///     so do `wss` and `https`.
    ///   - protocols: The subprotocols, of which the server may choose one. Empty by default.
    ///   - parameters: The parameters in the query.
    ///   - options: The settings of the handshake that differ from the service's configuration. A `timeout` limits the
    ///     handshake.
    ///   - settings: The settings of the WebSocket.
    public func webSocket(
        _ path: Request.Path, protocols: [String] = [], parameters: Parameters = [:],
        options: [Request.Option] = [], settings: WebSocket.Settings = WebSocket.Settings()
    ) -> WebSocket {
        let path = path.withHTTPScheme
        let core = WebSocketCore(settings, clock) {
            let handshake = WebSocketHandshake(
                subprotocols: protocols, offersDeflate: settings.compresses && WebSocketDeflate.isAvailable)
            return link(handshake, settings, path, parameters, options)
        }
        let configuration = configuration(of: .GET, path)
        return WebSocket(core, json: (configuration.jsonEncoding, configuration.jsonDecoding))
    }

    private func link(
        _ handshake: WebSocketHandshake, _ settings: WebSocket.Settings, _ path: Request.Path,
        _ parameters: Parameters, _ options: [Request.Option]
    ) -> any WebSocketLink {
        let problem = handshake.problem ?? tunnelProblem
        #if !canImport(FoundationNetworking)
            if problem == nil, let makeSocket = dataSource.makeWebSocket {
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
        return TunnelLink(handshake, settings) { link throws(ServiceError) in
            if let problem { throw ServiceError(.invalidRequest, detail: problem) }
            return self.tunnel(path, parameters: parameters, options: options, fields: handshake.fields) {
                try await link.send(to: $0)
            }
        }
    }

    /// The data source's reason why it can't open a tunnel, or `nil` if it may be able to.
    private var tunnelProblem: String? {
        #if canImport(FoundationNetworking)
            if dataSource is URLSessionDataSource || dataSource is URLSession {
                return "URLSession can't open WebSockets on Linux. CurlDataSource can."
            }
        #endif
        return nil
    }
}

extension Request.Path {
    /// The path with `http` in place of `ws`. A path with an invalid segment stays unchanged, so the request fails.
    fileprivate var withHTTPScheme: Request.Path {
        let isURL = URL(string: text).map { self == Request.Path($0) } ?? false
        // A path with an invalid segment differs from the path that its text makes.
        guard isURL || self == Request.Path(text) else { return self }
        return Request.Path(text.withHTTPScheme)
    }
}
