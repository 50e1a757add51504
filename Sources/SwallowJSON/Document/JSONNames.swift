import Foundation

/// The table of an object's names, with the position of each.
enum JSONNames {
    /// The names are plain: equal ones have equal bytes, and none is copied. Holds the names' positions in the tape, each in its
    /// hash's slot or the next free one; 0 marks a free slot. For 80 000 names that is 1 MB, which fits the processor's caches. A
    /// dictionary of strings takes 4 MB, and to look all of them up takes 14 times as long as a tenth of them.
    case bytes([UInt32])
    /// A name of the object, or a name that was looked up, isn't plain. Names compare as Swift's strings do: a Kelvin
    /// sign equals a `K`.
    case strings([String: Int])

    init(ofObjectAt position: Int, in tape: JSONTape) {
        let word = tape.word(at: position)
        let arePlain = tape.names(ofObjectAt: position).allSatisfy { tape.isPlain(tape.word(at: $0)) }
        guard arePlain else {
            self = .strings(tape.members(ofObjectAt: position))
            return
        }
        // A power of two, at least twice their number.
        var slots = [UInt32](repeating: 0, count: 1 << (Int.bitWidth - (2 * word.length).leadingZeroBitCount))
        for place in tape.names(ofObjectAt: position) {
            let name = tape.text(of: tape.word(at: place))
            let slot = Self.slot(of: name, in: slots, tape)
            if slots[slot] == 0 { slots[slot] = UInt32(truncatingIfNeeded: place) }
        }
        self = .bytes(slots)
    }

    /// The value's position of the first member of that name; negative if there is none.
    mutating func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int {
        var name = name
        if case .bytes(let slots) = self {
            let place = name.withUTF8 { bytes in
                bytes.allSatisfy { $0 < 0x80 } || JSONEquivalence.isPlain(bytes)
                    ? slots[Self.slot(of: bytes, in: slots, tape)] : nil
            }
            if let place { return place == 0 ? -1 : Int(place) + 1 }
            self = .strings(tape.members(ofObjectAt: position))
        }
        guard case .strings(let members) = self else { return -1 }
        return members[name] ?? -1
    }

    /// The slot that has the name, or the free one where it belongs. Hashes differ from process to process, so that no
    /// document can be made whose names all meet in one slot.
    @inline(__always)
    private static func slot(of name: UnsafeBufferPointer<UInt8>, in slots: [UInt32], _ tape: JSONTape) -> Int
    {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] != 0 {
            let other = tape.text(of: tape.word(at: Int(slots[slot])))
            if Self.areEqual(other, name) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    @inline(__always)
    private static func areEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        guard one.count == other.count else { return false }
        guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, one.count) == 0
    }
}

extension JSONTape {
    fileprivate func names(ofObjectAt position: Int) -> some Sequence<Int> {
        let end = word(at: position).offset
        return sequence(state: position + 1) { place in
            guard place < end else { return nil }
            defer { place = self.end(of: place + 1) }
            return place
        }
    }

    fileprivate func isPlain(_ name: JSONWord) -> Bool {
        name.kind == .ascii || name.kind == .text && JSONEquivalence.isPlain(text(of: name))
    }

    fileprivate func members(ofObjectAt position: Int) -> [String: Int] {
        var members: [String: Int] = Dictionary(minimumCapacity: word(at: position).length)
        for place in names(ofObjectAt: position) {
            let name = string(word(at: place))
            // Hashed once, since that takes most of the time.
            if let first = members.updateValue(place + 1, forKey: name) { members[name] = first }
        }
        return members
    }
}
