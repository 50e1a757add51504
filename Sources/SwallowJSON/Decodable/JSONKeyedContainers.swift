/// Keeps the keyed containers that a reading has made, so that the next record of a type reuses the last one's.
///
/// The standard library keeps a container in a box of a generic class. Finding that class at run time takes longer than
/// reading three members: a catalogue of 20 000 small records takes 10.5 ms without these, and 5.5 ms with them.
struct JSONKeyedContainers {
    private struct Slot {
        var key: ObjectIdentifier?
        /// The container's box. `kept` holds it, so it isn't retained here as well.
        var box: UnsafeMutableRawPointer?
        /// Retained once for the slot, and not for each look-up.
        var kept: Unmanaged<AnyObject>?
    }

    /// A container and what it reads.
    private final class Kept<Container> {
        private let members: JSONMembers
        private let container: Container

        init(_ container: Container, _ members: JSONMembers) {
            (self.container, self.members) = (container, members)
        }

        /// Not inlined: here the class knows the container's type, elsewhere the runtime would have to find it.
        @inline(never)
        func load(_ decoder: JSONValueDecoder) -> Container {
            members.begin(decoder)
            return container
        }
    }

    private static let count = 32
    private let slots: UnsafeMutablePointer<Slot>

    init() {
        slots = .allocate(capacity: Self.count)
        slots.initialize(repeating: Slot(), count: Self.count)
    }

    func deallocate() {
        removeAll()
        slots.deallocate()
    }

    /// Releases all containers: they hold the reading, which holds them.
    func removeAll() {
        for index in 0..<Self.count where slots[index].key != nil {
            slots[index].kept?.release()
            slots[index] = Slot()
        }
    }

    /// A container for the members of the object at the decoder.
    @inline(__always)
    func container<Key: CodingKey>(of decoder: JSONValueDecoder) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(Key.self)
        var slot = slots + Self.slot(of: key, depth: decoder.depth)
        // A type uses its slot or the neighbour: with one slot, two types of a model would often replace each other.
        if slot.pointee.key != key { slot = neighbour(of: slot) }
        // A container that is still in use isn't reused.
        if slot.pointee.key == key, Self.isFree(&slot.pointee.box), let kept = slot.pointee.kept {
            // Unsafe: a slot of this key holds a container of this key and nothing else.
            return kept._withUnsafeGuaranteedRef {
                unsafeDowncast($0, to: Kept<KeyedDecodingContainer<Key>>.self).load(decoder)
            }
        }
        return newContainer(of: decoder)
    }

    @inline(__always)
    private func neighbour(of slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
        slots + ((slot - slots) ^ 1)
    }

    @inline(__always)
    private static func isFree(_ box: inout UnsafeMutableRawPointer?) -> Bool {
        withUnsafeMutablePointer(to: &box) {
            $0.withMemoryRebound(to: AnyObject?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    @inline(never)
    private func newContainer<Key: CodingKey>(of decoder: JSONValueDecoder) -> KeyedDecodingContainer<Key> {
        let members = JSONMembers(decoder)
        let container = KeyedDecodingContainer(JSONMembersContainer<Key>(members))
        if decoder.reading.keepsContainers, Self.boxesAreKnown {
            let key = ObjectIdentifier(Key.self)
            var slot = slots + Self.slot(of: key, depth: decoder.depth)
            if slot.pointee.key != nil, slot.pointee.key != key { slot = neighbour(of: slot) }
            slot.pointee.kept?.release()
            // Unsafe: the container is a reference to its box, as `boxesAreKnown` says, and `kept` holds it as long as the slot.
            slot.pointee = Slot(
                key: key,
                box: Unmanaged.passUnretained(unsafeBitCast(container, to: AnyObject.self)).toOpaque(),
                kept: Unmanaged.passRetained(Kept(container, members) as AnyObject))
        }
        return container
    }

    private static func slot(of key: ObjectIdentifier, depth: Int) -> Int {
        let mixed = UInt64(UInt(bitPattern: key)) &+ UInt64(truncatingIfNeeded: depth)
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) &>> 59)
    }

    /// Whether a `KeyedDecodingContainer` is one reference to an object and nothing else, as it has always been.
    private static let boxesAreKnown: Bool = {
        let reading = JSONReading(.constants, root: 0, JSON.DecodingOptions())
        let decoder = JSONValueDecoder(reading: reading, position: 0, depth: 0)
        let container = KeyedDecodingContainer(JSONMembersContainer<JSONKey>(JSONMembers(decoder)))
        let parts = Mirror(reflecting: container).children
        guard parts.count == 1, let box = parts.first?.value, type(of: box) is AnyClass else { return false }
        return MemoryLayout.size(ofValue: container) == MemoryLayout<AnyObject>.size
    }()
}
