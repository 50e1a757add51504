import Testing

@testable import SwallowWebSockets

/// A case of the Autobahn suite (crossbario/autobahn-testsuite): the frames that the server sends, and the frames that an
/// echoing client must send back.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let id: String
    let sent: [TestFrame]
    let expected: [TestFrame]

    init(_ id: String, _ sent: [TestFrame], _ expected: [TestFrame]) {
        (self.id, self.sent, self.expected) = (id, sent, expected)
    }

    /// The server closes after the frames, and the client has to answer.
    static func open(_ id: String, _ sent: [TestFrame], _ expected: [TestFrame]) -> Self {
        Self(id, sent + [.close(1000)], expected + [.close(1000)])
    }

    var testDescription: String { id }
}

/// The sections of the suite whose cases are small. A test's argument is a section, because an array of cases would be
/// printed with all of its bytes.
enum ConformanceSection: String, CaseIterable, Sendable {
    case framing, pings, reservedBits, opcodes, fragmentation, text, closing

    var cases: [ConformanceCase] {
        switch self {
        case .framing: ConformanceCase.framing
        case .pings: ConformanceCase.pings
        case .reservedBits: ConformanceCase.reservedBits
        case .opcodes: ConformanceCase.opcodes
        case .fragmentation: ConformanceCase.fragmentation
        case .text: ConformanceCase.text
        case .closing: ConformanceCase.closing
        }
    }
}

struct TestFrame: Sendable, Equatable {
    var opcode: UInt8
    var payload: [UInt8]
    var isFinal = true
    var reserved: UInt8 = 0
    /// The second byte and the length, if they differ from the payload's.
    var lengthBytes: [UInt8]?

    static func text(_ text: String) -> Self { Self(opcode: 1, payload: Array(text.utf8)) }
    static func text(bytes: [UInt8]) -> Self { Self(opcode: 1, payload: bytes) }
    static func binary(_ bytes: [UInt8]) -> Self { Self(opcode: 2, payload: bytes) }
    static func ping(_ bytes: [UInt8] = []) -> Self { Self(opcode: 9, payload: bytes) }
    static func pong(_ bytes: [UInt8] = []) -> Self { Self(opcode: 10, payload: bytes) }
    static func more(_ text: String = "") -> Self { Self(opcode: 0, payload: Array(text.utf8)) }
    static func more(bytes: [UInt8]) -> Self { Self(opcode: 0, payload: bytes) }

    static func close(_ code: UInt16, _ reason: String = "") -> Self {
        Self(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// A close frame of a client that has failed. The tests ignore its reason.
    static func failure(_ code: UInt16) -> Self { close(code) }

    func fragment() -> Self { with { $0.isFinal = false } }
    func reserved(_ bits: UInt8) -> Self { with { $0.reserved = bits } }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var frame = self
        change(&frame)
        return frame
    }

    /// The frame as a server sends it.
    var bytes: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        if let lengthBytes { return bytes + lengthBytes + payload }
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ..<65536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes += [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        }
        return bytes + payload
    }

    /// Reads the frames of a client, and removes their masks.
    static func frames(in bytes: [UInt8]) throws -> [TestFrame] {
        var rest = bytes[...]
        var frames: [TestFrame] = []
        func take(_ count: Int) throws -> [UInt8] {
            guard rest.count >= count else { throw Malformed() }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while !rest.isEmpty {
            let start = try take(2)
            guard start[1] & 0x80 != 0 else { throw Malformed() }
            var length = Int(start[1] & 0x7F)
            if length >= 126 { length = try take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
            let mask = try take(4)
            let payload = try take(length).enumerated().map { $1 ^ mask[$0 % 4] }
            var frame = TestFrame(opcode: start[0] & 0x0F, payload: payload)
            frame.isFinal = start[0] & 0x80 != 0
            frame.reserved = start[0] >> 4 & 7
            if frame.opcode == 8 { frame.payload = Array(payload.prefix(2)) }
            frames.append(frame)
        }
        return frames
    }

    var event: WebSocketMachine.Event {
        switch opcode {
        case 1: .text(String(decoding: payload, as: UTF8.self))
        case 2: .binary(payload)
        default: .close(code: 1000, reason: "")
        }
    }

    struct Malformed: Error {}
}

/// A client that sends each message back.
struct EchoClient {
    var machine = WebSocketMachine()
    private(set) var sent: [UInt8] = []
    private(set) var events: [WebSocketMachine.Event] = []

    init(_ machine: WebSocketMachine = WebSocketMachine()) { self.machine = machine }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        machine.receive(Array(bytes)) { machine, event in
            events.append(event)
            switch event {
            case .text(let text): _ = machine.sendText(text)
            case .binary(let bytes): _ = machine.sendBinary(bytes)
            case .ping, .pong, .close, .failure: break
            }
        }
        sent += machine.takeOutput()
    }

    mutating func receive(_ bytes: [UInt8], inPartsOf size: Int) {
        for start in stride(from: 0, to: bytes.count, by: size) {
            receive(bytes[start..<min(start + size, bytes.count)])
        }
    }
}

extension WebSocketMachine {
    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        receive(bytes) { events.append($1) }
        return events
    }
}
