import Foundation

/// What all decoders and containers of one ``JSON/decode(_:options:)`` share.
///
/// Nobody stores coding paths: an error's is found again from its place in the tape.
final class JSONReading {
    let document: JSONDocument
    /// The document's, valid as long as this is.
    let tape: JSONTape
    let options: JSON.DecodingOptions
    let convertsNames: Bool
    private let root: Int
    /// The path of the root: not empty only for a `superDecoder` of a member that isn't there.
    private let rootPath: [any CodingKey]
    /// Two blocks of these many, this object's own from `init` to `deinit`, and used in no closure that
    /// could outlive a call: pointers, since an array's checks cost as much as what they are used for.
    private let placesInContainers: UnsafeMutablePointer<Place>
    private let knownTypes: UnsafeMutablePointer<KnownType?>
    private static let depthWithPlaces = 32
    private static let knownTypesCount = 32

    /// Where reading a container has got to. Only a hint: it shortens the way to a member and to a path.
    struct Place {
        /// The container's position.
        var container = -1
        /// Where to look for the next member's name.
        var next = 0
        /// The ``JSONName/trace(of:in:)`` of the names before `next`.
        var trace: UInt64 = 0
        /// The element, or the member's name, that was read last.
        var current = 0
        /// How many elements come before `current`.
        var index = 0
        /// Whether the container is read as a `[String: T]`, whose names no strategy changes.
        var keepsNames = false
    }

    private struct KnownType {
        let type: any Decodable.Type
        let readable: (any JSONReadable.Type)?
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
        knownTypes = .allocate(capacity: Self.knownTypesCount)
        knownTypes.initialize(repeating: nil, count: Self.knownTypesCount)
    }

    deinit {
        // Both hold nothing but trivial values.
        placesInContainers.deallocate()
        knownTypes.deallocate()
    }

    /// Reads the value at that position, which is inside `depth` containers.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type, at position: Int, depth: Int) throws -> Value {
        guard let readable = readable(type) else {
            return try Value(from: JSONValueDecoder(reading: self, position: position, depth: depth))
        }
        return try value(readable, as: type, at: position, depth: depth)
    }

    /// The two types are the same one, known by different protocols.
    func value<Readable: JSONReadable, Value>(
        _ readable: Readable.Type, as type: Value.Type, at position: Int, depth: Int
    ) throws -> Value {
        let value = try Readable.read(in: self, at: position, depth: depth)
        return unsafeBitCast(value, to: type)
    }

    /// The same type where it reads itself. Asking the runtime is slow, so answers are kept.
    @inline(__always)
    func readable(_ type: any Decodable.Type) -> (any JSONReadable.Type)? {
        let address = UInt(bitPattern: ObjectIdentifier(type))
        let slot = Int(bitPattern: address &>> 4 % UInt(Self.knownTypesCount))
        if let known = knownTypes[slot], known.type == type { return known.readable }
        let readable = type as? any JSONReadable.Type
        knownTypes[slot] = KnownType(type: type, readable: readable)
        return readable
    }
}

// MARK: - Places

extension JSONReading {
    /// The value of the first member of that name. Members are usually asked for in their order, so the search
    /// begins after the last one found. If there may be one of the same name before, it looks from the start.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int, end: Int, depth: Int) -> Int? {
        guard depth < Self.depthWithPlaces else {
            let isLarge = tape.word(at: position).length >= JSONIndex.leastParts
            let indexed = isLarge ? document.index?.member(name, ofObjectAt: position, in: tape) : nil
            let value = indexed ?? tape.member(name, ofObjectAt: position, end: end)
            return value < 0 ? nil : value
        }
        let place = placesInContainers + depth
        if place.pointee.container != position {
            place.pointee = Place(container: position, next: position &+ 1, current: position &+ 1)
        }
        // Capturing self would count it: 315 posts take 1.92 ms so, 2.05 ms otherwise.
        defer { withExtendedLifetime(self) {} }
        let value = JSONName.with(name) { [tape] name in
            Self.member(name, in: tape, from: position &+ 1, end: end, &place.pointee)
        }
        if _fastPath(value >= 0) { return value }
        return value == Self.notFound ? nil : indexed(name, ofObjectAt: position, end: end, &place.pointee)
    }

    private static let notFound = -1
    private static let notFoundNearby = -2
    /// How many words of an object are walked in vain, before or after the last member, before its index is asked.
    private static let nearby = 2 * JSONIndex.leastParts

    @inline(never)
    private func indexed(_ name: String, ofObjectAt position: Int, end: Int, _ place: inout Place) -> Int? {
        let value =
            document.index?.member(name, ofObjectAt: position, in: tape)
            ?? tape.member(name, ofObjectAt: position, end: end)
        guard value >= 0 else { return nil }
        place.current = value - 1
        return value
    }

    @inline(__always)
    private static func member(
        _ name: JSONName, in tape: JSONTape, from start: Int, end: Int, _ place: inout Place
    ) -> Int {
        var position = place.next
        var traces = place.trace
        // Past this, and where that much has been passed already, walking would make many look-ups quadratic.
        let last = min(end, place.next &+ nearby)
        while position < last {
            let word = tape.word(at: position)
            let trace = JSONName.trace(of: word, in: tape)
            if name.matches(word, in: tape) {
                let mayRepeat = traces & trace != 0
                let passed = position
                place.current = position
                place.next = tape.end(of: position &+ 1)
                place.trace = traces | trace
                if mayRepeat {
                    if passed &- start > nearby { return notFoundNearby }
                    let earlier = name.position(in: tape, from: start, to: passed)
                    if earlier >= 0 {
                        place.current = earlier &- 1
                        return earlier
                    }
                }
                return passed &+ 1
            }
            traces |= trace
            position = tape.end(of: position &+ 1)
        }
        if position < end || place.next &- start > nearby { return notFoundNearby }
        let earlier = name.position(in: tape, from: start, to: place.next)
        if earlier < 0 { return notFound }
        place.current = earlier &- 1
        return earlier
    }

    /// Notes that a container's element or member is being read.
    @inline(__always)
    func enter(
        _ current: Int, index: Int, ofContainerAt position: Int, depth: Int, keepsNames: Bool = false
    ) {
        guard depth < Self.depthWithPlaces else { return }
        let place = placesInContainers + depth
        if place.pointee.container != position {
            place.pointee = Place(container: position, next: position &+ 1)
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

    /// The path that a strategy wants with each name of an object: found once, and only where it is wanted.
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
