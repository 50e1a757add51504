import Foundation

/// What all decoders and containers of one ``JSON/decode(_:options:)`` share.
///
/// Coding paths aren't stored: an error's is found again from its place in the tape.
final class JSONReading {
    let document: JSONDocument
    /// The document's, valid as long as this is.
    let tape: JSONTape
    let options: JSON.DecodingOptions
    let convertsNames: Bool
    private let root: Int
    /// The path of the root: not empty only for a `superDecoder` of a member that isn't there.
    private let rootPath: [any CodingKey]
    /// A block of `depthWithPlaces` elements, owned from `init` to `deinit`. No closure that could outlive a call uses it. A
    /// pointer, since an array's checks would cost as much as the block saves.
    private let placesInContainers: UnsafeMutablePointer<Place>
    private let knownTypes = JSONKnownTypes<any JSONReadable.Type>()
    /// The containers of records read before.
    let containers = JSONKeyedContainers()
    /// True only while a value is read: a container that is kept keeps this object alive.
    private(set) var keepsContainers = false
    private static let depthWithPlaces = 32

    /// How far a container has been read. Only a hint, which shortens the way to a member and to a path.
    struct Place {
        /// The container's position.
        var container = -1
        /// The element, or the member's name, that was read last.
        var current = 0
        /// How many elements come before `current`.
        var index = 0
        /// Whether the container is read as a `[String: T]`, whose names no strategy changes.
        var keepsNames = false
    }

    init(
        _ document: JSONDocument, root: Int, _ options: JSON.DecodingOptions, path: [any CodingKey] = []
    ) {
        self.document = document
        tape = document.tape
        self.options = options
        self.root = root
        rootPath = path
        convertsNames = if case .useDefaultKeys = options.keyDecodingStrategy { false } else { true }
        placesInContainers = .allocate(capacity: Self.depthWithPlaces)
        placesInContainers.initialize(repeating: Place(), count: Self.depthWithPlaces)
    }

    deinit {
        // It holds nothing but trivial values.
        placesInContainers.deallocate()
        knownTypes.deallocate()
        containers.deallocate()
    }

    /// Reads the root.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A strategy of the app's may read other records while a container is made ready for one.
        keepsContainers = if case .custom = options.keyDecodingStrategy { false } else { true }
        defer {
            keepsContainers = false
            containers.removeAll()
        }
        return try value(type, at: root, depth: 0)
    }

    /// Reads the value at that position, which is inside `depth` containers.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type, at position: Int, depth: Int) throws -> Value {
        guard let readable = readable(type) else {
            return try Value(from: JSONValueDecoder(reading: self, position: position, depth: depth))
        }
        return try value(readable, as: type, at: position, depth: depth)
    }

    /// Both types are one and the same, known by different protocols.
    func value<Readable: JSONReadable, Value>(
        _ readable: Readable.Type, as type: Value.Type, at position: Int, depth: Int
    ) throws -> Value {
        let value = try Readable.read(in: self, at: position, depth: depth)
        return unsafeBitCast(value, to: type)
    }

    /// The type as a ``JSONReadable``, if it is one.
    @inline(__always)
    func readable(_ type: any Decodable.Type) -> (any JSONReadable.Type)? {
        knownTypes.known(type) { $0 as? any JSONReadable.Type }
    }
}

// MARK: - Places

extension JSONReading {
    /// How far the container at that depth has been read; nil where that isn't noted.
    @inline(__always)
    func place(atDepth depth: Int) -> UnsafeMutablePointer<Place>? {
        depth < Self.depthWithPlaces ? placesInContainers + depth : nil
    }

    /// Notes which element or member of a container is being read.
    @inline(__always)
    func enter(
        _ current: Int, index: Int, ofContainerAt position: Int, depth: Int, keepsNames: Bool = false
    ) {
        guard depth < Self.depthWithPlaces else { return }
        let place = placesInContainers + depth
        if place.pointee.container != position {
            place.pointee = Place(container: position)
        }
        place.pointee.current = current
        place.pointee.index = index
        place.pointee.keepsNames = keepsNames
    }
}

// MARK: - Paths

extension JSONReading {
    /// The keys on the way to a value, found by walking down to it.
    func path(to target: Int) -> [any CodingKey] {
        var path = rootPath
        var container = root
        var depth = 0
        while container != target {
            let word = tape.word(at: container)
            guard word.isContainer, container < target, target < word.offset else { return path }
            var place = Place(container: container, current: container + 1)
            if depth < Self.depthWithPlaces, placesInContainers[depth].container == container,
                placesInContainers[depth].current <= target
            {
                place = placesInContainers[depth]
            }
            if word.kind == .array {
                container = element(containing: target, &place)
                path.append(JSONKey(index: place.index))
            } else {
                container = member(containing: target, &place)
                let name = tape.string(tape.word(at: container - 1))
                path.append(place.keepsNames ? JSONKey(stringValue: name) : key(name, at: path))
            }
            depth += 1
        }
        return path
    }

    private func element(containing target: Int, _ place: inout Place) -> Int {
        while tape.end(of: place.current) <= target {
            place.current = tape.end(of: place.current)
            place.index += 1
        }
        return place.current
    }

    private func member(containing target: Int, _ place: inout Place) -> Int {
        while tape.end(of: place.current + 1) <= target {
            place.current = tape.end(of: place.current + 1)
        }
        return place.current + 1
    }

    /// The path that a custom strategy gets with each name of an object, found once.
    func pathForNames(of object: Int) -> [any CodingKey] {
        if case .custom = options.keyDecodingStrategy { path(to: object) } else { [] }
    }

    /// The key that a member's name stands for.
    func key(_ name: String, at path: @autoclosure () -> [any CodingKey]) -> any CodingKey {
        switch options.keyDecodingStrategy {
        case .convertFromSnakeCase: JSONKey(stringValue: JSONKey.camelCase(name))
        case .custom(let convert): convert(path() + [JSONKey(stringValue: name)])
        default: JSONKey(stringValue: name)
        }
    }
}
