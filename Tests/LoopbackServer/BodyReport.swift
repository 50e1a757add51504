import Foundation
import Swallow
import SwallowTesting

extension BodyReply {
    /// JSON that describes the body, with the members `length`, `sum` (Adler-32), `isChunked`, `chunks` and `trailers`.
    package static var report: BodyReply {
        let report = Lock(BodyReport())
        return .read { piece in
            report.withLock { $0.add(piece) }
        } then: { chunks, trailers in
            .json(report.withLock { $0.json(chunks: chunks, trailers: trailers) })
        }
    }
}

/// The length and Adler-32 checksum (RFC 1950 §8.2) of a body, computed without storing the body.
struct BodyReport {
    private var length = 0
    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var sum: Int { Int(high << 16 | low) }

    mutating func add(_ piece: Data) {
        length += piece.count
        piece.withUnsafeBytes { bytes in
            // In a debug build, an index is faster than an iterator.
            var index = 0
            while index < bytes.count {
                // The sums can't overflow within 5,552 bytes.
                let end = min(index + 5552, bytes.count)
                while index < end {
                    low &+= UInt32(bytes[index])
                    high &+= low
                    index += 1
                }
                low %= 65521
                high %= 65521
            }
        }
    }

    func json(chunks: Int?, trailers: [String]) -> JSON {
        [
            "chunks": .number(chunks ?? 0), "isChunked": .bool(chunks != nil), "length": .number(length),
            "sum": .number(sum), "trailers": .array(trailers.map { .string($0) }),
        ]
    }
}
