import Foundation

/// Writes one document. All encoders and containers of the document share it.
///
/// Text is only written at the end. A type may need more than that: it may write to two containers in turn, encode a
/// name twice, encode its superclass later, or catch an error. Then the session falls back to `JSONEncoder`, which
/// writes the complete document, so that the result is always the same as with `JSONEncoder`.
final class JSONEncodingSession {
    let options: JSON.EncodingOptions
    let convertsNames: Bool
    /// The state is in a block of memory, because access to an object's properties is checked at each use. Most models
    /// are written in 0.5 to 0.6 of the time this way.
    let state: UnsafeMutablePointer<State>
    private let conformances = JSONConformanceCache<any JSONDirectlyEncodable.Type>()

    struct State {
        var buffer: JSONTextBuffer
        /// Whether the text is the one that `JSONEncoder` would write.
        var isDirect = true
        /// The number of values encoded to containers that were complete.
        var lostValues = 0
        /// The values that are being written, each inside the previous one.
        var levels = JSONStack<Level>()
        /// The fingerprints of the names of all open objects, in the order of the levels.
        var fingerprints = JSONStack<UInt64>()
        /// The fingerprints of an object with many members, by the serial number of its level.
        var manyFingerprints: [Int: Set<UInt64>] = [:]
        var serial = 0
        /// The keys of the members that are being written, by level, for a custom key strategy.
        var keys: [Int: any CodingKey] = [:]
    }

    /// A value that is being written.
    struct Level {
        enum Form {
            case empty
            /// The value of a single-value container.
            case single
            case object
            case array
        }

        var form: Form
        /// A number that no other level of the document has.
        let serial: Int
        /// The number of members or elements.
        var count = 0
        /// The index of the first name's fingerprint.
        let firstFingerprint: Int
        /// The range of the latest name in the buffer.
        var nameStart = 0
        var nameEnd = 0
    }

    init(_ options: JSON.EncodingOptions) {
        self.options = options
        convertsNames = if case .useDefaultKeys = options.keyEncodingStrategy { false } else { true }
        state = .allocate(capacity: 1)
        let escapesSlashes = !options.outputFormatting.contains(.withoutEscapingSlashes)
        state.initialize(to: State(buffer: JSONTextBuffer(escapesSlashes: escapesSlashes)))
    }

    deinit {
        buffer.deallocate()
        levels.deallocate()
        fingerprints.deallocate()
        conformances.deallocate()
        state.deinitialize(count: 1).deallocate()
    }

    var isDirect: Bool { state.pointee.isDirect }

    var buffer: JSONTextBuffer {
        @inline(__always) get { state.pointee.buffer }
        @inline(__always) _modify { yield &state.pointee.buffer }
    }

    var levels: JSONStack<Level> {
        @inline(__always) get { state.pointee.levels }
        @inline(__always) _modify { yield &state.pointee.levels }
    }

    var fingerprints: JSONStack<UInt64> {
        @inline(__always) get { state.pointee.fingerprints }
        @inline(__always) _modify { yield &state.pointee.fingerprints }
    }

    /// Returns the value as JSON, or `nil` if `JSONEncoder` has to write it or has to report an error.
    static func data(of value: some Encodable, _ options: JSON.EncodingOptions) -> Data? {
        let session = JSONEncodingSession(options)
        // If the type throws, it throws the same error to JSONEncoder.
        guard (try? session.write(value)) != nil, session.isDirect else { return nil }
        let data = session.buffer.data
        guard let style = JSONFormatter.Style(options.outputFormatting) else { return data }
        return try? JSON(parsing: data).data(style)
    }

    /// Lets `JSONEncoder` write the document. No error reports this to the type, because the type may not expect an
    /// error.
    func fallBack() {
        state.pointee.isDirect = false
    }
}

// MARK: - Values

extension JSONEncodingSession {
    @inline(__always)
    func write<Value: Encodable>(_ value: Value) throws {
        if let direct = conformances.conformance(of: Value.self, { $0 as? any JSONDirectlyEncodable.Type }) {
            try write(value, as: direct)
        } else {
            try writeEncoding { try value.encode(to: $0) }
        }
    }

    /// `Value` and `Direct` are the same type.
    private func write<Value, Direct: JSONDirectlyEncodable>(_ value: Value, as type: Direct.Type) throws {
        try Direct.write(unsafeBitCast(value, to: type), to: self)
    }

    @inline(__always)
    func writeEncoding(_ encode: (JSONValueEncoder) throws -> Void) throws {
        let id = beginValue()
        do {
            try encode(JSONValueEncoder(session: self, id: id))
        } catch {
            // The error may be caught. Only JSONEncoder knows which part of the value it keeps then.
            fallBack()
            end(id)
            throw error
        }
        end(id)
    }

    func writeNull() {
        buffer.append("null")
    }
}
