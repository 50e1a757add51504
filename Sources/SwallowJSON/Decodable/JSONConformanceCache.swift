/// Stores which types conform to a protocol, because the runtime's check is slow. The owner calls `deallocate()`.
struct JSONConformanceCache<Conformance> {
    private struct Slot {
        var type: ObjectIdentifier?
        var conformance: Conformance?
    }

    private static var count: Int { 32 }
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    func deallocate() {
        slots.deallocate()
    }

    @inline(__always)
    func conformance(of type: Any.Type, _ find: (Any.Type) -> Conformance?) -> Conformance? {
        let identifier = ObjectIdentifier(type)
        var slot = slots + Self.place(of: identifier)
        // Each type has two slots. With one slot, two of ten types would often replace each other.
        if slot.pointee.type == identifier { return slot.pointee.conformance }
        slot = slots + ((slot - slots) ^ 1)
        if slot.pointee.type == identifier { return slot.pointee.conformance }
        return findConformance(of: type, find)
    }

    @inline(never)
    private func findConformance(of type: Any.Type, _ find: (Any.Type) -> Conformance?) -> Conformance? {
        let identifier = ObjectIdentifier(type)
        let conformance = find(type)
        let place = Self.place(of: identifier)
        let isTaken = slots[place].type != nil
        slots[isTaken ? place ^ 1 : place] = Slot(type: identifier, conformance: conformance)
        return conformance
    }

    private static func place(of type: ObjectIdentifier) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) &>> 59)
    }
}
