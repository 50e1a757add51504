/// Feeds bytes to a WebSocket's state machine. The events must not depend on how the bytes are split, and a peer must
/// be able to read all that the machine sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let settings = bytes.popLast() else { return 0 }
    let role: WebSocketMachine.Role = settings & 1 == 0 ? .client : .server
    let limit = settings & 2 == 0 ? 1024 : 20
    let whole = outcome(of: bytes, role, limit, partSize: max(1, bytes.count))
    let divided = outcome(of: bytes, role, limit, partSize: Int(settings >> 4) + 1)
    check(whole.events == divided.events, "the events depend on the parts")
    check(whole.output.count == divided.output.count, "the answers depend on the parts")
    let answers = outcome(of: whole.output, role == .client ? .server : .client, .max, partSize: 4096)
    for case .failure(let failure) in answers.events {
        check(false, "the peer can't read an answer: \(failure.text)")
    }
    fuzzHandshake(bytes)
    return 0
}

private func outcome(
    of bytes: [UInt8], _ role: WebSocketMachine.Role, _ limit: Int, partSize: Int
) -> (events: [WebSocketMachine.Event], output: [UInt8]) {
    var machine = WebSocketMachine(role: role, maximumMessageSize: limit)
    var events: [WebSocketMachine.Event] = []
    for start in stride(from: 0, to: bytes.count, by: partSize) {
        machine.receive(Array(bytes[start..<min(start + partSize, bytes.count)])) { machine, event in
            events.append(event)
            switch event {
            case .text(let text):
                check(text.utf8.count <= limit, "a text is too large")
                _ = machine.sendText(text)
            case .binary(let bytes):
                check(bytes.count <= limit, "a message is too large")
                _ = machine.sendBinary(bytes)
            case .close, .failure: check(machine.hasEnded && machine.hasSentClose, "the end has no answer")
            case .ping, .pong: break
            }
        }
    }
    return (events, machine.takeOutput())
}

private func fuzzHandshake(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let handshake = WebSocketHandshake(subprotocols: ["v1"], offersDeflate: true)
    for name in ["Upgrade", "Connection", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"] {
        var fields = [
            "Upgrade": "websocket", "Connection": "upgrade",
            "Sec-WebSocket-Accept": WebSocketHandshake.accept(for: handshake.key),
        ]
        fields[name] = text
        guard let agreement = try? handshake.agreement({ fields[$0] }) else { continue }
        check(agreement.subprotocol ?? "v1" == "v1", "a subprotocol that wasn't offered")
    }
}

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
