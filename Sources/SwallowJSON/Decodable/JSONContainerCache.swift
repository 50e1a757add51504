/// Stores keyed containers for reuse, so decoding small objects takes about half the time. The owner frees the memory.
struct JSONContainerCache {
    private struct Slot {
        var key: ObjectIdentifier?
        var box: UnsafeMutableRawPointer?
        /// The slot retains this object. Lookups don't.
        var stored: Unmanaged<AnyObject>?
    }

    private final class StoredContainer<Container> {
        private let members: JSONMemberLookup
        private let container: Container

        init(_ container: Container, _ members: JSONMemberLookup) {
            (self.container, self.members) = (container, members)
        }

        /// Not inlined, because inlined code would look up the container's generic type at run time.
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

    /// Releases all containers, because they retain the session, which owns this cache.
    func removeAll() {
        for index in 0..<Self.count where slots[index].key != nil {
            slots[index].stored?.release()
            slots[index] = Slot()
        }
    }

    @inline(__always)
    func container<Key: CodingKey>(of decoder: JSONValueDecoder) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(Key.self)
        var slot = slots + Self.slot(of: key, depth: decoder.depth)
        if slot.pointee.key != key { slot = neighbor(of: slot) }
        if slot.pointee.key == key, Self.isFree(&slot.pointee.box), let stored = slot.pointee.stored {
            // The cast is safe, because a slot with this key type always has a container of this key type.
            return stored._withUnsafeGuaranteedRef {
                unsafeDowncast($0, to: StoredContainer<KeyedDecodingContainer<Key>>.self).load(decoder)
            }
        }
        return newContainer(of: decoder)
    }

    @inline(__always)
    private func neighbor(of slot: UnsafeMutablePointer<Slot>) -> UnsafeMutablePointer<Slot> {
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
        let members = JSONMemberLookup(decoder)
        let container = KeyedDecodingContainer(JSONKeyedDecodingContainer<Key>(members))
        if decoder.session.storesContainers, Self.boxesAreKnown {
            let key = ObjectIdentifier(Key.self)
            var slot = slots + Self.slot(of: key, depth: decoder.depth)
            if slot.pointee.key != nil, slot.pointee.key != key { slot = neighbor(of: slot) }
            slot.pointee.stored?.release()
            // The cast is safe, because `boxesAreKnown` has checked that a container is one reference to its box.
            slot.pointee = Slot(
                key: key,
                box: Unmanaged.passUnretained(unsafeBitCast(container, to: AnyObject.self)).toOpaque(),
                stored: Unmanaged.passRetained(StoredContainer(container, members) as AnyObject))
        }
        return container
    }

    private static func slot(of key: ObjectIdentifier, depth: Int) -> Int {
        let mixed = UInt64(UInt(bitPattern: key)) &+ UInt64(truncatingIfNeeded: depth)
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) &>> 59)
    }

    private static let boxesAreKnown: Bool = {
        let session = JSONDecodingSession(.constants, root: 0, JSON.DecodingOptions())
        let decoder = JSONValueDecoder(session: session, position: 0, depth: 0)
        let container = KeyedDecodingContainer(JSONKeyedDecodingContainer<JSONKey>(JSONMemberLookup(decoder)))
        let parts = Mirror(reflecting: container).children
        guard parts.count == 1, let box = parts.first?.value, type(of: box) is AnyClass else { return false }
        return MemoryLayout.size(ofValue: container) == MemoryLayout<AnyObject>.size
    }()
}
