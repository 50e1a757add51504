import Foundation

/// If a type writes to two containers in turn, encodes a name twice, encodes its superclass later or catches an error,
/// `JSONEncoder` writes the complete document. The result is therefore always the same as with `JSONEncoder`.
final class JSONEncodingSession {
    let options: JSON.EncodingOptions
    let convertsNames: Bool
    /// A block of memory, because access to an object's properties is checked. Most models take 0.5 to 0.6 of the time.
    let state: UnsafeMutablePointer<State>
    private let conformances = JSONConformanceCache<any JSONDirectlyEncodable.Type>()

    struct State {
        var buffer: JSONTextBuffer
        var isDirect = true
        /// The number of values encoded to containers that were complete.
        var lostValues = 0
        /// Each value is inside the previous one.
        var levels = JSONStack<Level>()
        /// The fingerprints of the names of all open objects, in the order of the levels.
        var fingerprints = JSONStack<UInt64>()
        /// The fingerprints of objects with many members, by the serial numbers of their levels.
        var manyFingerprints: [Int: Set<UInt64>] = [:]
        var serial = 0
        /// The current members' keys by level, for a custom key strategy.
        var keys: [Int: any CodingKey] = [:]
    }

    struct Level {
        enum Form {
            case empty
            /// The value of a single-value container.
            case single
            case object
            case array
        }

        var form: Form
        /// Unique in the document.
        let serial: Int
        var count = 0
        let firstFingerprint: Int
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

    /// Returns `nil` if `JSONEncoder` has to write the value or report an error.
    static func data(of value: some Encodable, _ options: JSON.EncodingOptions) -> Data? {
        let session = JSONEncodingSession(options)
        // If the type throws, it throws the same error to JSONEncoder.
        guard (try? session.write(value)) != nil, session.isDirect else { return nil }
        let data = session.buffer.data
        guard let style = JSONFormatter.Style(options.outputFormatting) else { return data }
        return try? JSON(parsing: data).data(style)
    }

    /// Lets `JSONEncoder` write the document. The type doesn't see an error, because it may not expect one.
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
