/// What types are known as: which of the protocols that read and write JSON faster they conform to, if any. Asking the
/// runtime is slow, so answers are kept.
struct JSONKnownTypes<Known> {
    private struct Slot {
        var type: ObjectIdentifier?
        var known: Known?
    }

    private static var count: Int { 32 }
    /// A block of `count` elements, which the owner of this frees.
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    /// Known is a metatype, which is trivial.
    func deallocate() {
        slots.deallocate()
    }

    /// What a type is known as; `ask` finds it out, once for most types.
    @inline(__always)
    func known(_ type: Any.Type, _ ask: (Any.Type) -> Known?) -> Known? {
        let identifier = ObjectIdentifier(type)
        var slot = slots + Self.place(of: identifier)
        // A type uses its slot or the next: with one slot, two of ten types would often replace each other.
        if slot.pointee.type == identifier { return slot.pointee.known }
        slot = slots + ((slot - slots) ^ 1)
        if slot.pointee.type == identifier { return slot.pointee.known }
        return newlyKnown(type, ask)
    }

    @inline(never)
    private func newlyKnown(_ type: Any.Type, _ ask: (Any.Type) -> Known?) -> Known? {
        let identifier = ObjectIdentifier(type)
        let known = ask(type)
        let place = Self.place(of: identifier)
        let isTaken = slots[place].type != nil
        slots[isTaken ? place ^ 1 : place] = Slot(type: identifier, known: known)
        return known
    }

    private static func place(of type: ObjectIdentifier) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) &>> 59)
    }
}
