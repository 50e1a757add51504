/// Stores values for types. A type may replace another one. The owner calls `deallocate()`.
struct JSONTypeTable<Value> {
    struct Slot {
        var type: ObjectIdentifier?
        var value: Value
    }

    private static var count: Int { 32 }
    private let empty: Value
    private let slots: UnsafeMutablePointer<Slot>

    init(empty: Value) {
        self.empty = empty
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(value: empty), count: Self.count)
    }

    func deallocate() {
        slots.deallocate()
    }

    /// Returns the slot of a type. If the type isn't stored, the slot is empty or has another type to replace.
    @inline(__always)
    func slot(of type: ObjectIdentifier, salt: Int = 0) -> UnsafeMutablePointer<Slot> {
        let mixed = UInt64(UInt(bitPattern: type)) &+ UInt64(truncatingIfNeeded: salt)
        let place = Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) &>> 59)
        let first = slots + place
        if first.pointee.type == type { return first }
        // Each type has two slots. With one slot, two of ten types would often replace each other.
        let second = slots + (place ^ 1)
        return second.pointee.type == type || first.pointee.type != nil ? second : first
    }

    func removeAll(_ release: (Value) -> Void) {
        for index in 0..<Self.count where slots[index].type != nil {
            release(slots[index].value)
            slots[index] = Slot(value: empty)
        }
    }
}

extension JSONTypeTable {
    /// Returns how a type conforms to a protocol. The runtime's check is slow.
    @inline(__always)
    func conformance<Conformance>(
        of type: Any.Type, _ find: (Any.Type) -> Conformance?
    ) -> Conformance? where Value == Conformance? {
        let identifier = ObjectIdentifier(type)
        let slot = slot(of: identifier)
        if slot.pointee.type != identifier { slot.pointee = Slot(type: identifier, value: find(type)) }
        return slot.pointee.value
    }
}
