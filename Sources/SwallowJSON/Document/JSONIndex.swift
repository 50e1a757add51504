/// Finds the parts of a document's large containers, so that looking all of them up takes time that grows with
/// their number, and not with its square.
///
/// An array is indexed at its first look-up, which costs one more walk over it. An object is indexed after a few look-ups,
/// since all its names have to be hashed.
final class JSONIndex: Sendable {
    /// A container with fewer parts is walked.
    static let leastParts = 256

    private static let searchesBeforeNames = 8

    private struct Parts {
        var elements: [UInt32] = []
        var names: JSONNames?
        var searches = 0

        mutating func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int? {
            searches += 1
            guard searches > JSONIndex.searchesBeforeNames else { return nil }
            if names == nil { names = JSONNames(ofObjectAt: position, in: tape) }
            return names?.member(name, ofObjectAt: position, in: tape)
        }
    }

    /// The keys are the containers' positions.
    private let parts = Lock<[Int: Parts]>([:])

    private init() {}

    /// Nil for a tape so short that it can't hold a large container.
    static func forTape(of count: Int) -> JSONIndex? {
        count > leastParts ? JSONIndex() : nil
    }

    /// The position of an element, which must exist.
    func element(_ index: Int, ofArrayAt position: Int, in tape: JSONTape) -> Int {
        parts.withLock { parts in
            if parts[position] == nil {
                parts[position] = Parts(elements: tape.elements(ofArrayAt: position))
            }
            return parts[position].map { Int($0.elements[index]) } ?? -1
        }
    }

    /// The position of the value of the first member of that name; negative if there is none. Nil while the object isn't
    /// indexed: then the caller walks it.
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
