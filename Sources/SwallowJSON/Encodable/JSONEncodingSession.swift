import Foundation

/// Encodes a value directly to text. In unusual cases, such as a caught error, `JSONEncoder` encodes the value again.
final class JSONEncodingSession {
    let options: JSON.EncodingOptions
    let convertsNames: Bool
    /// A pointer avoids the run-time checks of an object's properties. Most models then take 0.5 to 0.6 of the time.
    let state: UnsafeMutablePointer<State>
    private let conformances = JSONTypeTable<(any JSONDirectlyEncodable.Type)?>(empty: nil)

    struct State {
        var buffer: JSONTextBuffer
        var isDirect = true
        var lostValues = 0
        var levels = JSONStack<Level>()
        var fingerprints = JSONStack<UInt64>()
        var manyFingerprints: [Int: Set<UInt64>] = [:]
        var serial = 0
        var keys: [Int: any CodingKey] = [:]
    }

    struct Level {
        enum Form {
            case empty
            case single
            case object
            case array
        }

        var form: Form
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

    static func data(of value: some Encodable, _ options: JSON.EncodingOptions) -> Data? {
        let session = JSONEncodingSession(options)
        // The error is ignored, because the type throws it again when JSONEncoder encodes the value.
        guard (try? session.write(value)) != nil, session.isDirect else { return nil }
        let data = session.buffer.data
        guard let style = JSONWriter.Style(options.outputFormatting) else { return data }
        return try? JSON(parsing: data).data(style)
    }

    /// Makes `JSONEncoder` encode the complete value later. Doesn't throw, because the `encode(to:)` of the value's type
    /// may not expect an error here.
    func fallBack() {
        state.pointee.isDirect = false
    }
}

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
            // The caller may catch the error and continue. Only `JSONEncoder` knows what then remains of the value.
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
