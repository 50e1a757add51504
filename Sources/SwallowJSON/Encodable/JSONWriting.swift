import Foundation

/// What all encoders and containers of one document share: its text so far, and which containers are open.
///
/// An `Encodable` type may do what a text that only grows can't follow: write to two containers in turn, give a member
/// twice, encode a superclass later, catch an error and go on. Such a document isn't plain, and is left to `JSONEncoder`, all of
/// it. So no result differs from `JSONEncoder`'s.
final class JSONWriting {
    let options: JSON.EncodingOptions
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

    /// The value as JSON; nil where `JSONEncoder` has to write it, or to say why it can't.
    static func data(of value: some Encodable, _ options: JSON.EncodingOptions) -> Data? {
        guard options.isPlain else { return nil }
        let writing = JSONWriting(options)
        // What a type throws it throws again to JSONEncoder.
        guard (try? writing.write(value)) != nil, writing.isPlain else { return nil }
        return writing.output.data
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
            try writeEncoding(value)
        }
    }

    /// Both types are one and the same, known by different protocols.
    private func write<Value, Writable: JSONWritable>(_ value: Value, as type: Writable.Type) throws {
        try Writable.write(unsafeBitCast(value, to: type), to: self)
    }

    @inline(__always)
    func writeEncoding<Value: Encodable>(_ value: Value) throws {
        let place = beginValue()
        do {
            try value.encode(to: JSONValueEncoder(writing: self, place: place))
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

    @inline(__always)
    func write(_ bool: Bool) {
        output.append(bool ? "true" : "false")
    }

    @inline(__always)
    func write(_ string: String) {
        output.append(string: string)
    }

    @inline(__always)
    func write<Integer: FixedWidthInteger>(number: Integer) {
        output.append(number: number)
    }

    func write(number: Double) {
        guard number.isFinite else { return giveUp() }
        output.append(number: number)
    }

    func write(number: Float) {
        guard number.isFinite else { return giveUp() }
        output.append(number: number)
    }

    func write(number: Decimal) {
        guard number.isFinite else { return giveUp() }
        output.append(spelled: number.description)
    }

    func write(iso8601 date: Date) {
        output.append(iso8601: date)
    }

    func write(text: Data) {
        text.withUnsafeBytes { output.append($0.assumingMemoryBound(to: UInt8.self)) }
    }
}
