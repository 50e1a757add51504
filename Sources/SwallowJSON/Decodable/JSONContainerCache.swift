/// Stores keyed containers for reuse, so decoding small objects takes about half the time. The owner frees the memory.
struct JSONContainerCache {
    private struct Entry {
        var box: UnsafeMutableRawPointer?
        /// The table retains this object. Lookups don't.
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

    private let entries = JSONTypeTable(empty: Entry())

    func deallocate() {
        removeAll()
        entries.deallocate()
    }

    /// Releases all containers, because they retain the session, which owns this cache.
    func removeAll() {
        entries.removeAll { $0.stored?.release() }
    }

    @inline(__always)
    func container<Key: CodingKey>(of decoder: JSONValueDecoder) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(Key.self)
        let slot = entries.slot(of: key, salt: decoder.depth)
        if slot.pointee.type == key, Self.isFree(&slot.pointee.value.box),
            let stored = slot.pointee.value.stored
        {
            // The cast is safe, because a slot with this key type always has a container of this key type.
            return stored._withUnsafeGuaranteedRef {
                unsafeDowncast($0, to: StoredContainer<KeyedDecodingContainer<Key>>.self).load(decoder)
            }
        }
        return newContainer(of: decoder)
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
            let slot = entries.slot(of: key, salt: decoder.depth)
            slot.pointee.value.stored?.release()
            // The cast is safe, because `boxesAreKnown` has checked that a container is one reference to its box.
            let box = Unmanaged.passUnretained(unsafeBitCast(container, to: AnyObject.self)).toOpaque()
            let stored = Unmanaged.passRetained(StoredContainer(container, members) as AnyObject)
            slot.pointee = .init(type: key, value: Entry(box: box, stored: stored))
        }
        return container
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
