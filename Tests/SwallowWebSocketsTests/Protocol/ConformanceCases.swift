@testable import SwallowWebSockets

extension ConformanceCase {
    private static let greek = "κ\u{1F79}σμε"
    private static func letters(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x2A, count: count) }

    // MARK: - 1 Framing

    static let framing: [Self] = {
        let sizes = [0, 125, 126, 127, 128, 65535, 65536, 65536]
        return sizes.enumerated().flatMap { index, size in
            [
                open("1.1.\(index + 1)", [.text(bytes: letters(size))], [.text(bytes: letters(size))]),
                open(
                    "1.2.\(index + 1)", [.binary([UInt8](repeating: 0xFE, count: size))],
                    [.binary([UInt8](repeating: 0xFE, count: size))]),
            ]
        }
    }()

    // MARK: - 2 Pings and pongs

    static let pings: [Self] = {
        let bytes: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]
        let many = (0..<10).map { TestFrame.ping(Array("payload-\($0)".utf8)) }
        let answers = (0..<10).map { TestFrame.pong(Array("payload-\($0)".utf8)) }
        return [
            open("2.1", [.ping()], [.pong()]),
            open("2.2", [.ping(Array("Hello, world!".utf8))], [.pong(Array("Hello, world!".utf8))]),
            open("2.3", [.ping(bytes)], [.pong(bytes)]),
            open("2.4", [.ping(letters(125))], [.pong(letters(125))]),
            Self("2.5", [.ping(letters(126)), .close(1000)], [.failure(1002)]),
            open("2.6", [.ping(letters(125))], [.pong(letters(125))]),
            open("2.7", [.pong()], []),
            open("2.8", [.pong(Array("unsolicited".utf8))], []),
            open("2.9", [.pong(Array("unsolicited".utf8)), .ping([1])], [.pong([1])]),
            open("2.10", many, answers),
            open("2.11", many, answers),
        ]
    }()

    // MARK: - 3 Reserved bits

    static let reservedBits: [Self] = [
        Self("3.1", [.text("Hello").reserved(1)], [.failure(1002)]),
        Self("3.2", [.text("ok"), .text("Hello").reserved(2), .ping()], [.text("ok"), .failure(1002)]),
        Self("3.3", [.text("ok"), .text("Hello").reserved(3), .ping()], [.text("ok"), .failure(1002)]),
        Self("3.4", [.text("ok"), .text("Hello").reserved(4), .ping()], [.text("ok"), .failure(1002)]),
        Self("3.5", [.binary([0xFF]).reserved(5)], [.failure(1002)]),
        Self("3.6", [.ping([1]).reserved(6)], [.failure(1002)]),
        Self("3.7", [.close(1000).reserved(7)], [.failure(1002)]),
    ]

    // MARK: - 4 Reserved opcodes

    static let opcodes: [Self] = zip([1, 2], [3...7, 11...15] as [ClosedRange<UInt8>]).flatMap {
        part, opcodes in
        opcodes.enumerated().map { index, opcode in
            let frame = TestFrame(opcode: opcode, payload: index == 0 ? [] : letters(5))
            let before: [TestFrame] = index < 2 ? [] : [.text("Hello")]
            return Self("4.\(part).\(index + 1)", before + [frame, .ping()], before + [.failure(1002)])
        }
    }

    // MARK: - 5 Fragmentation

    static let fragmentation: [Self] = {
        let pong = Array("ping".utf8)
        let two: [TestFrame] = [.text("fragment1").fragment(), .more("fragment2")]
        let joined = [TestFrame.text("fragment1fragment2")]
        let withPing: [TestFrame] = [.text("fragment1").fragment(), .ping(pong), .more("fragment2")]
        let five: [TestFrame] = [
            .text("fragment1").fragment(), .more("fragment2").fragment(), .ping([1]),
            .more("fragment3").fragment(), .more("fragment4").fragment(), .ping([2]), .more("fragment5"),
        ]
        let fiveJoined: [TestFrame] = [
            .pong([1]), .pong([2]), .text("fragment1fragment2fragment3fragment4fragment5"),
        ]
        let first = TestFrame.more("fragment1")
        return [
            Self("5.1", [.ping(pong).fragment(), .more("fragment2")], [.failure(1002)]),
            Self("5.2", [.pong(pong).fragment(), .more("fragment2")], [.failure(1002)]),
            open("5.3", two, joined), open("5.4", two, joined), open("5.5", two, joined),
            open("5.6", withPing, [.pong(pong)] + joined), open("5.7", withPing, [.pong(pong)] + joined),
            open("5.8", withPing, [.pong(pong)] + joined),
            Self("5.9", [first, .text("Hello")], [.failure(1002)]),
            Self("5.10", [first, .text("Hello")], [.failure(1002)]),
            Self("5.11", [first, .text("Hello")], [.failure(1002)]),
            Self("5.12", [first.fragment(), .text("Hello")], [.failure(1002)]),
            Self("5.13", [first.fragment(), .text("Hello")], [.failure(1002)]),
            Self("5.14", [first.fragment(), .text("Hello")], [.failure(1002)]),
            Self(
                "5.15", two + [.more("fragment3").fragment(), .text("fragment4")], joined + [.failure(1002)]),
            Self("5.16", [first.fragment(), .text("Hello").fragment(), .more("end")], [.failure(1002)]),
            Self("5.17", [first, .text("Hello").fragment(), .more("end")], [.failure(1002)]),
            Self("5.18", [.text("fragment1").fragment(), .text("fragment2")], [.failure(1002)]),
            open("5.19", five, fiveJoined), open("5.20", five, fiveJoined),
        ]
    }()

    // MARK: - 6 UTF-8

    static let text: [Self] = {
        let greek = Array(Self.greek.utf8)
        let edited = Array("edited".utf8)
        let bad = greek + [0xED, 0xA0, 0x80] + edited
        let bytewise = greek.map { TestFrame.more(bytes: [$0]).fragment() }
        var cases = [
            open("6.1.1", [.text("")], [.text("")]),
            open("6.1.2", [.text("").fragment(), .more().fragment(), .more()], [.text("")]),
            open("6.1.3", [.text("").fragment(), .more("middle").fragment(), .more()], [.text("middle")]),
            open("6.2.1", [.text("Hello-µ@ßöäüàá-UTF-8!!")], [.text("Hello-µ@ßöäüàá-UTF-8!!")]),
            open(
                "6.2.2", [.text("Hello-µ@ßöä").fragment(), .more("üàá-UTF-8!!")],
                [.text("Hello-µ@ßöäüàá-UTF-8!!")]),
            open("6.2.3", [.text("").fragment()] + bytewise + [.more()], [.text(bytes: greek)]),
            open("6.2.4", [.text("").fragment()] + bytewise + [.more()], [.text(bytes: greek)]),
            Self("6.3.1", [.text(bytes: bad), .ping()], [.failure(1007)]),
            Self(
                "6.3.2", [.text("").fragment()] + bad.map { TestFrame.more(bytes: [$0]).fragment() },
                [.failure(1007)]),
        ]
        // The message never ends, so these cases pass only if the client fails at the first wrong byte.
        let wrongBytes: [[UInt8]] = [[0xF4, 0x90, 0x80, 0x80], [0xED, 0xA0], [0xF4, 0x90], [0xF5]]
        for (index, wrong) in wrongBytes.enumerated() {
            cases.append(
                Self(
                    "6.4.\(index + 1)", [.text(bytes: greek).fragment(), .more(bytes: wrong).fragment()],
                    [.failure(1007)]))
        }
        for (index, sequence) in UTF8Sequences.all.enumerated() {
            let frame = TestFrame.text(bytes: sequence.bytes)
            cases.append(
                sequence.isValid
                    ? open("6.5+ \(index)", [frame], [frame])
                    : Self("6.5+ \(index)", [frame], [.failure(1007)]))
        }
        return cases
    }()

    // MARK: - 7 Closing

    static let closing: [Self] = {
        let lastByte: [UInt8] = [0x03, 0xE8] + letters(123)
        var cases = [
            open("7.1.1", [.text("Hello")], [.text("Hello")]),
            Self("7.1.2", [.close(1000), .close(1000)], [.close(1000)]),
            Self("7.1.3", [.close(1000), .ping()], [.close(1000)]),
            Self("7.1.4", [.close(1000), .text("Hello")], [.close(1000)]),
            Self("7.1.5", [.text("a").fragment(), .close(1000), .more("b")], [.close(1000)]),
            open(
                "7.1.6", [.text(bytes: letters(256 * 1024)), .text("Hello")],
                [.text(bytes: letters(256 * 1024)), .text("Hello")]),
            Self("7.3.1", [TestFrame(opcode: 8, payload: [])], [TestFrame(opcode: 8, payload: [])]),
            Self("7.3.2", [TestFrame(opcode: 8, payload: [0x61])], [.failure(1002)]),
            Self("7.3.3", [.close(1000)], [.close(1000)]),
            Self("7.3.4", [.close(1000, "Hello World!")], [.close(1000)]),
            Self("7.3.5", [TestFrame(opcode: 8, payload: lastByte)], [.close(1000)]),
            Self("7.3.6", [TestFrame(opcode: 8, payload: lastByte + [0x2A])], [.failure(1002)]),
            Self(
                "7.5.1",
                [TestFrame(opcode: 8, payload: [0x03, 0xE8] + Array(greek.utf8) + [0xED, 0xA0, 0x80])],
                [.failure(1007)]),
        ]
        let valid: [UInt16] = [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ]
        for code in valid { cases.append(Self("7.7 \(code)", [.close(code)], [.close(code)])) }
        let invalid: [UInt16] = [
            0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
        ]
        for code in invalid { cases.append(Self("7.9 \(code)", [.close(code)], [.failure(1002)])) }
        return cases
    }()

    // MARK: - 9 and 10 Limits

    static let limits: [Self] = {
        let sizes = [64, 256, 1024, 4096, 8192, 16384].map { $0 * 1024 }
        var cases = sizes.enumerated().flatMap { index, size in
            [
                open("9.1.\(index + 1)", [.text(bytes: letters(size))], [.text(bytes: letters(size))]),
                open("9.2.\(index + 1)", [.binary(letters(size))], [.binary(letters(size))]),
            ]
        }
        for (index, size) in [64, 256, 1024, 4096, 16384, 65536].enumerated() {
            let total = 4 * 1024 * 1024
            let middle = [TestFrame](
                repeating: .more(bytes: letters(size)).fragment(), count: total / size - 2)
            let text: [TestFrame] =
                [.text(bytes: letters(size)).fragment()] + middle + [.more(bytes: letters(size))]
            cases.append(open("9.3.\(index + 1)", text, [.text(bytes: letters(total))]))
            let binary: [TestFrame] =
                [.binary(letters(size)).fragment()] + middle + [.more(bytes: letters(size))]
            cases.append(open("9.4.\(index + 1)", binary, [.binary(letters(total))]))
        }
        let fragments = (0..<51).map { _ in TestFrame.more(bytes: letters(1300)).fragment() }
        cases.append(
            open(
                "10.1.1", [.text(bytes: letters(1300)).fragment()] + fragments.dropLast() + [.more()],
                [.text(bytes: letters(1300 * 51))]))
        return cases
    }()
}

/// The sequences of the UTF-8 decoder test by Markus Kuhn, which the Autobahn suite uses.
enum UTF8Sequences {
    static let all: [(bytes: [UInt8], isValid: Bool)] = valid.map { ($0, true) } + invalid.map { ($0, false) }

    private static let greek: [UInt8] = Array("κ\u{1F79}σμε".utf8)
    private static let truncated: [[UInt8]] = [
        [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80],
        [0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF],
    ]

    private static let valid: [[UInt8]] = {
        var sequences: [[UInt8]] = ["hello$world", "hello¢world", "hello€world", "hello𤭢world"].map {
            Array($0.utf8)
        }
        sequences += [2, 5, 7, 9, 11].map { Array(greek.prefix($0)) }
        sequences += [[0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80]]
        sequences += [[0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF]]
        sequences += [[0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD]]
        for last in 0xB9...0xBF as ClosedRange<UInt8> { sequences.append([0xEF, 0xBF, last]) }
        for first in 0xF0...0xF4 as ClosedRange<UInt8> {
            for second in [0x8F, 0x9F, 0xAF, 0xBF] as [UInt8] {
                if first == 0xF4, second != 0x8F { continue }
                if first == 0xF0, second == 0x8F { continue }
                sequences += [[first, second, 0xBF, 0xBE], [first, second, 0xBF, 0xBF]]
            }
        }
        return sequences
    }()

    private static let invalid: [[UInt8]] = {
        var sequences = [1, 3, 4, 6, 8, 10].map { Array(greek.prefix($0)) }
        sequences += [[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]]
        sequences += [[0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80]]
        sequences += [[0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF], [0xBF]]
        for count in 1...6 { sequences.append((0..<count).map { $0 % 2 == 0 ? 0x80 : 0xBF }) }
        sequences.append(Array(0x80..<0xBF))
        for range in [0xC0..<0xDF, 0xE0..<0xEF, 0xF0..<0xF7, 0xF8..<0xFB, 0xFC..<0xFD] as [Range<UInt8>] {
            sequences.append(range.flatMap { [$0, 0x20] })
        }
        sequences += truncated + [truncated.flatMap { $0 }]
        sequences += [[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]]
        // Encodings that are longer than needed.
        sequences += [
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xF8, 0x80, 0x80, 0x80, 0xAF],
        ]
        sequences += [
            [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x87, 0xBF, 0xBF, 0xBF],
        ]
        sequences += [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80, 0x80],
        ]
        // Surrogates, alone and in pairs.
        let high: [[UInt8]] = [
            [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xAE, 0x80], [0xED, 0xAF, 0xBF],
        ]
        let low: [[UInt8]] = [[0xED, 0xB0, 0x80], [0xED, 0xBE, 0x80], [0xED, 0xBF, 0xBF]]
        sequences += high + low
        for first in high { for second in low { sequences.append(first + second) } }
        return sequences
    }()
}
