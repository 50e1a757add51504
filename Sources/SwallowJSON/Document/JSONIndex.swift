/// Looking up all parts of a large container takes linear instead of quadratic time with this index.
/// An array is indexed at its first lookup. An object is indexed after a few, because all names must be hashed.
final class JSONIndex: Sendable {
    /// A container with fewer parts isn't indexed.
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

    /// The keys are the containers' positions.
    private let parts = Lock<[Int: Parts]>([:])

    private init() {}

    /// Returns `nil` for a tape that is too short for a large container.
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

    /// Negative if there is no such name. `nil` until the object is indexed.
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
