import Foundation

final class JSONDecodingSession {
    let document: JSONDocument
    let tape: JSONTape
    let options: JSON.DecodingOptions
    let convertsNames: Bool
    private let root: Int
    private let rootPath: [any CodingKey]
    /// Memory for `trackedDepth` elements. The checks of an `Array` would take as much time as the tracking saves.
    private let progressByDepth: UnsafeMutablePointer<Progress>
    private let conformances = JSONTypeTable<(any JSONDirectlyDecodable.Type)?>(empty: nil)
    let containers = JSONContainerCache()
    /// Whether `containers` stores containers. True only while `value(_:)` runs, because they retain the session.
    private(set) var storesContainers = false
    private static let trackedDepth = 32

    struct Progress {
        var container = -1
        var current = 0
        var index = 0
        /// Whether names aren't converted, because the container is a `[String: T]`.
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
        progressByDepth = .allocate(capacity: Self.trackedDepth)
        progressByDepth.initialize(repeating: Progress(), count: Self.trackedDepth)
    }

    deinit {
        progressByDepth.deallocate()
        conformances.deallocate()
        containers.deallocate()
    }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // A custom key strategy may decode another object while it converts a name, so containers aren't stored.
        storesContainers = if case .custom = options.keyDecodingStrategy { false } else { true }
        defer {
            storesContainers = false
            containers.removeAll()
        }
        return try value(type, at: root, depth: 0)
    }

    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type, at position: Int, depth: Int) throws -> Value {
        guard let direct = directlyDecodable(type) else {
            return try Value(from: JSONValueDecoder(session: self, position: position, depth: depth))
        }
        return try value(direct, as: type, at: position, depth: depth)
    }

    /// `Direct` and `Value` are the same type.
    func value<Direct: JSONDirectlyDecodable, Value>(
        _ direct: Direct.Type, as type: Value.Type, at position: Int, depth: Int
    ) throws -> Value {
        let value = try Direct.read(in: self, at: position, depth: depth)
        return unsafeBitCast(value, to: type)
    }

    @inline(__always)
    func directlyDecodable(_ type: any Decodable.Type) -> (any JSONDirectlyDecodable.Type)? {
        conformances.conformance(of: type) { $0 as? any JSONDirectlyDecodable.Type }
    }
}

extension JSONDecodingSession {
    @inline(__always)
    func progress(atDepth depth: Int) -> UnsafeMutablePointer<Progress>? {
        depth < Self.trackedDepth ? progressByDepth + depth : nil
    }

    @inline(__always)
    func track(
        _ current: Int, index: Int, ofContainerAt position: Int, depth: Int, keepsNames: Bool = false
    ) {
        guard depth < Self.trackedDepth else { return }
        let progress = progressByDepth + depth
        if progress.pointee.container != position {
            progress.pointee = Progress(container: position)
        }
        progress.pointee.current = current
        progress.pointee.index = index
        progress.pointee.keepsNames = keepsNames
    }
}

extension JSONDecodingSession {
    func path(to target: Int) -> [any CodingKey] {
        var path = rootPath
        var container = root
        var depth = 0
        while container != target {
            let word = tape.word(at: container)
            guard word.isContainer, container < target, target < word.offset else { return path }
            var progress = Progress(container: container, current: container + 1)
            if depth < Self.trackedDepth, progressByDepth[depth].container == container,
                progressByDepth[depth].current <= target
            {
                progress = progressByDepth[depth]
            }
            let wordsBeforeValue = word.kind == .object ? 1 : 0
            while tape.end(of: progress.current + wordsBeforeValue) <= target {
                progress.current = tape.end(of: progress.current + wordsBeforeValue)
                progress.index += 1
            }
            if word.kind == .array {
                path.append(JSONKey(index: progress.index))
            } else {
                let name = tape.string(tape.word(at: progress.current))
                path.append(progress.keepsNames ? JSONKey(stringValue: name) : key(name, at: path))
            }
            container = progress.current + wordsBeforeValue
            depth += 1
        }
        return path
    }

    /// Returns the path that a custom key strategy receives with each name of an object. Empty for other strategies.
    func pathForNames(of object: Int) -> [any CodingKey] {
        if case .custom = options.keyDecodingStrategy { path(to: object) } else { [] }
    }

    func key(_ name: String, at path: @autoclosure () -> [any CodingKey]) -> any CodingKey {
        switch options.keyDecodingStrategy {
        case .convertFromSnakeCase: JSONKey(stringValue: JSONKey.camelCase(name))
        case .custom(let convert): convert(path() + [JSONKey(stringValue: name)])
        default: JSONKey(stringValue: name)
        }
    }
}
