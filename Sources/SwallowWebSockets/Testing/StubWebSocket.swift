import Foundation
import Swallow

/// A data source for tests that takes the server's side of a WebSocket. A new connection replaces an open one.
///
/// ```swift
/// let server = StubWebSocket()
/// let service = WebService(baseURLString: "https://api.example.com", dataSource: server)
/// let feed = service.webSocket("/feed")
///
/// try await feed.send(.text("subscribe"))
/// #expect(await server.next() == .text("subscribe"))
///
/// server.send(.text("welcome"))
/// ```
///
/// Messages that are sent before the WebSocket connects, or between two connections, wait for the next connection. All
/// waiting functions also return when their Swift task is cancelled. To test a rejected handshake, use a
/// `StubDataSource` from SwallowTesting, which responds to the `GET`.
public final class StubWebSocket: SessionDataTaskDataSource {
    private let subprotocol: String?
    private let state: Lock<State>

    fileprivate struct State: AwaitedState {
        var request: URLRequest?
        var handshakes = 0
        var machine: WebSocketMachine
        var connection: StubConnection?
        var received: [WebSocket.Message] = []
        var closeStatus: WebSocket.CloseStatus?
        var pings = 0
        var waiters = Waiters()

        /// Ends the connection, and returns it. Messages that are sent later wait for the next connection.
        mutating func end(_ closeStatus: WebSocket.CloseStatus) -> StubConnection? {
            self.closeStatus = self.closeStatus ?? closeStatus
            machine = .server(sendsPongs: machine.sendsPongs)
            return connection.take()
        }
    }

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that the server chooses. It should be one that the client offers. `nil` by
    ///     default.
    ///   - sendsPongs: Whether the server replies to the client's pings. `true` by default.
    public init(subprotocol: String? = nil, sendsPongs: Bool = true) {
        self.subprotocol = subprotocol
        state = Lock(State(machine: .server(sendsPongs: sendsPongs)))
    }

    /// The request of the last handshake. `nil` before the first one.
    public var request: URLRequest? { state.withLock { $0.request } }

    /// Waits until the client has sent a number of handshakes, for example until it has reconnected.
    public func handshakes(atLeast count: Int) async { await state.wait { $0.handshakes >= count } }

    /// Sends a message to the client. Does nothing between `close` and the end of the connection.
    public func send(_ message: WebSocket.Message) { change { _ = $0.machine.send(message) } }

    /// Waits for the next message from the client, and returns it. Returns `nil` if no message is left, and the client
    /// has sent a close frame or the connection has ended. After another handshake, it waits again.
    public func next() async -> WebSocket.Message? {
        await state.wait { !$0.received.isEmpty || $0.closeStatus != nil }
        return state.withLock { $0.received.isEmpty ? nil : $0.received.removeFirst() }
    }

    /// Closes the WebSocket. The client replies with a close frame.
    public func close(_ code: WebSocket.CloseCode = .normal, reason: String = "") {
        change { $0.machine.sendClose(code: code.rawValue, reason: reason) }
    }

    /// Drops the connection without a close frame.
    public func drop() { change { $0.end(WebSocket.CloseStatus(code: .abnormal)) }?.end() }

    /// The client's close frame on the last connection. The property waits for it. The code is
    /// ``WebSocket/CloseCode/abnormal`` if the connection has ended without a close frame.
    public var closeStatus: WebSocket.CloseStatus? {
        get async {
            await state.wait { $0.closeStatus != nil }
            return state.withLock { $0.closeStatus }
        }
    }

    /// Waits until the client has sent a number of pings.
    public func pings(atLeast count: Int) async { await state.wait { $0.pings >= count } }

    /// Returns a task that accepts the handshake. A request that doesn't open a WebSocket fails with `.invalidRequest`.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { output in StubConnection(request, output, to: self) }
    }
}

extension StubWebSocket {
    /// Returns the fields of the response, or `nil` if the request isn't a handshake.
    fileprivate func accept(_ request: URLRequest) -> [String: String]? {
        guard let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") else { return nil }
        var fields = [
            "Connection": "Upgrade", "Upgrade": "websocket",
            "Sec-WebSocket-Accept": WebSocketHandshake.accept(for: key),
        ]
        fields["Sec-WebSocket-Protocol"] = subprotocol
        state.withLock { $0.request = request }
        return fields
    }

    /// Called after the response's head was delivered, so that messages follow the head.
    fileprivate func connect(_ connection: StubConnection) {
        change { state in
            state.connection = connection
            state.handshakes += 1
            state.closeStatus = nil
        }
    }

    fileprivate func receive(_ bytes: [UInt8], from connection: StubConnection) {
        let isOver = change { state in
            guard state.connection === connection else { return false }
            state.machine.receive(bytes) { _, event in
                switch event {
                case .text(let text): state.received.append(.text(text))
                case .binary(let bytes): state.received.append(.binary(Data(bytes)))
                case .ping: state.pings += 1
                case .pong: break
                case .close(let code, let reason):
                    state.closeStatus = WebSocket.CloseStatus(
                        code: WebSocket.CloseCode(rawValue: code), reason: reason)
                case .failure(let failure):
                    state.closeStatus = WebSocket.CloseStatus(code: .protocolError, reason: failure.text)
                }
            }
            return state.machine.hasEnded && state.machine.hasSentClose
        }
        // `change` has already added the last bytes to the connection.
        if isOver { lost(connection)?.end() }
    }

    /// Closes the socket after a lost connection. Returns the connection to end, or `nil` if it was forgotten before.
    @discardableResult
    fileprivate func lost(_ connection: StubConnection) -> StubConnection? {
        change { state in
            guard state.connection === connection else { return nil }
            return state.end(WebSocket.CloseStatus(code: .abnormal))
        }
    }

    @discardableResult
    private func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, connection, output) = state.withLock { state in
            let result = change(&state)
            let output = state.connection == nil ? [] : state.machine.takeOutput()
            // Under the lock, so that the bytes keep their order.
            if !output.isEmpty { state.connection?.add(Data(output)) }
            return (result, state.connection, output)
        }
        if !output.isEmpty { connection?.deliver() }
        state.resumeWaiters()
        return result
    }
}

private final class StubConnection: DataTaskOperation {
    private let request: URLRequest
    private let output: DataTaskOutput
    private let server: StubWebSocket
    private let queue = DispatchQueue(label: "Swallow.stub-web-socket")
    private let pipe = Lock<BodyPipe?>(nil)

    init(_ request: URLRequest, _ output: DataTaskOutput, to server: StubWebSocket) {
        (self.request, self.output, self.server) = (request, output, server)
    }

    func start(inParts: Bool) {
        guard let url = request.url, let body = request.streamedBody,
            let fields = server.accept(request),
            let head = HTTPURLResponse(
                url: url, statusCode: 101, httpVersion: "HTTP/1.1", headerFields: fields)
        else {
            let error = ServiceError(.invalidRequest, detail: "the request doesn't open a WebSocket")
            return output.receive(.failure(error))
        }
        output.receive(.head(head))
        server.connect(self)
        do throws(ServiceError) {
            let pipe = try BodyPipe(body, run: { [queue] in queue.async(execute: $0) }) { [weak self] in
                guard let self else { return }
                self.queue.async { self.read() }
            }
            self.pipe.withLock { $0 = pipe }
            pipe.start()
            queue.async { self.read() }
        } catch {
            output.receive(.failure(error))
        }
    }

    private func read() {
        guard let pipe = pipe.withLock({ $0 }) else { return }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            switch buffer.withUnsafeMutableBytes({ pipe.fill($0) }) {
            case .bytes(let count): server.receive(Array(buffer[..<count]), from: self)
            case .later: return
            case .end, .failure:
                server.lost(self)
                return
            }
        }
    }

    func cancel() {
        pipe.withLock { $0.take() }?.cancel()
        server.lost(self)
    }

    func add(_ bytes: Data) { output.add([.bytes(bytes)]) }
    func deliver() { output.deliver() }

    func end() { output.receive(DataTaskResult(Data(), nil, nil)) }
}
