/// The positions of the parts of large containers. Without them, looking up all parts could take quadratic time.
final class JSONIndex: Sendable {
    static let leastParts = 256

    private static let lookupsBeforeIndexing = 8

    private struct Parts {
        var elements: [UInt32] = []
        var names: JSONNameTable?
        var lookups = 0

        mutating func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int? {
            lookups += 1
            guard lookups > JSONIndex.lookupsBeforeIndexing else { return nil }
            if names == nil { names = JSONNameTable(ofObjectAt: position, in: tape) }
            return names?.position(of: name) ?? -1
        }
    }

    private let parts = Lock<[Int: Parts]>([:])

    private init() {}

    static func forTape(of count: Int) -> JSONIndex? {
        count > leastParts ? JSONIndex() : nil
    }

    func element(_ index: Int, ofArrayAt position: Int, in tape: JSONTape) -> Int {
        parts.withLock { parts in
            if parts[position] == nil {
                parts[position] = Parts(elements: tape.elements(ofArrayAt: position))
            }
            return parts[position].map { Int($0.elements[index]) } ?? -1
        }
    }

    func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int? {
        parts.withLock { parts in
            parts[position, default: Parts()].member(name, ofObjectAt: position, in: tape)
        }
    }
}

extension JSONTape {
    fileprivate func elements(ofArrayAt position: Int) -> [UInt32] {
        let word = word(at: position)
        var place = position + 1
        return (0..<word.length).map { _ in
            defer { place = end(of: place) }
            return UInt32(truncatingIfNeeded: place)
        }
    }
}
