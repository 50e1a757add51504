import Foundation

/// What all encoders and containers of one document share: its text so far, and which containers are open.
///
/// An `Encodable` type may do what a text that only grows can't follow: write to two containers in turn, give a member
/// twice, encode a superclass later, catch an error and go on. Such a document isn't plain, and is left to `JSONEncoder`, all of
/// it. So no result differs from `JSONEncoder`'s.
final class JSONWriting {
    let options: JSON.EncodingOptions
    let convertsNames: Bool
    /// Owned from `init` to `deinit`. A pointer, since the properties of an object are checked for overlapping access at each
    /// use: most models are written in 0.5 to 0.6 of the time so.
    let state: UnsafeMutablePointer<State>
    private let knownTypes = JSONKnownTypes<any JSONWritable.Type>()

    struct State {
        var output: JSONOutput
        /// Whether the text is what `JSONEncoder` would write. Once it isn't, nothing is written any more.
        var isPlain = true
        /// How many values came for containers that had ended.
        var lost = 0
        /// The values that are being written: each is inside the one before.
        var levels = JSONStack<Level>()
        /// The fingerprints of the names of all open objects, one object's after the other.
        var names = JSONStack<UInt64>()
        /// The same for objects with very many members, by the object's serial number.
        var manyNames: [Int: Set<UInt64>] = [:]
        var serial = 0
        /// The keys of the members that are being written, by level, if a custom key strategy needs them.
        var keys: [Int: any CodingKey] = [:]
    }

    /// A value that is being written.
    struct Level {
        enum Form {
            case empty
            /// A number, a string or another value that a single-value container got.
            case single
            case object
            case array
        }

        var form: Form
        /// No other level has it, also none that took this one's place in the stack.
        let serial: Int
        /// How many members or elements it has.
        var count = 0
        /// Where its first name is in `names`.
        let firstName: Int
        /// Where the text of its latest name is in the output.
        var nameStart = 0
        var nameEnd = 0
    }

    init(_ options: JSON.EncodingOptions) {
        self.options = options
        convertsNames = if case .useDefaultKeys = options.keyEncodingStrategy { false } else { true }
        state = .allocate(capacity: 1)
        let escapesSlashes = !options.outputFormatting.contains(.withoutEscapingSlashes)
        state.initialize(to: State(output: JSONOutput(escapesSlashes: escapesSlashes)))
    }

    deinit {
        output.deallocate()
        levels.deallocate()
        names.deallocate()
        knownTypes.deallocate()
        state.deinitialize(count: 1).deallocate()
    }

    var isPlain: Bool { state.pointee.isPlain }

    var output: JSONOutput {
        @inline(__always) get { state.pointee.output }
        @inline(__always) _modify { yield &state.pointee.output }
    }

    var levels: JSONStack<Level> {
        @inline(__always) get { state.pointee.levels }
        @inline(__always) _modify { yield &state.pointee.levels }
    }

    var names: JSONStack<UInt64> {
        @inline(__always) get { state.pointee.names }
        @inline(__always) _modify { yield &state.pointee.names }
    }

    /// Returns the value as JSON, or `nil` if `JSONEncoder` has to write it or has to report an error.
    static func data(of value: some Encodable, _ options: JSON.EncodingOptions) -> Data? {
        let writing = JSONWriting(options)
        // If the type throws, it throws the same error to JSONEncoder.
        guard (try? writing.write(value)) != nil, writing.isPlain else { return nil }
        let data = writing.output.data
        guard let style = JSONWriter.Style(options.outputFormatting) else { return data }
        return try? JSON(parsing: data).data(style)
    }

    /// Notes that `JSONEncoder` has to write the document. The type doesn't hear of it: it may not expect an error where
    /// `JSONEncoder` has none. What it writes from here on is no matter.
    func giveUp() {
        state.pointee.isPlain = false
    }
}

// MARK: - Values

extension JSONWriting {
    /// Writes a value, of any type, where the text ends.
    @inline(__always)
    func write<Value: Encodable>(_ value: Value) throws {
        if let writable = knownTypes.known(Value.self, { $0 as? any JSONWritable.Type }) {
            try write(value, as: writable)
        } else {
            try writeEncoding { try value.encode(to: $0) }
        }
    }

    /// Both types are one and the same, known by different protocols.
    private func write<Value, Writable: JSONWritable>(_ value: Value, as type: Writable.Type) throws {
        try Writable.write(unsafeBitCast(value, to: type), to: self)
    }

    @inline(__always)
    func writeEncoding(_ encode: (JSONValueEncoder) throws -> Void) throws {
        let place = beginValue()
        do {
            try encode(JSONValueEncoder(writing: self, place: place))
        } catch {
            // Whoever catches it may go on, with what JSONEncoder leaves of the value.
            giveUp()
            end(place)
            throw error
        }
        end(place)
    }

    func writeNull() {
        output.append("null")
    }
}
