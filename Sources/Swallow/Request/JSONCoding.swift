import Foundation

/// The JSON options of requests. It is a class, so that each request stores only a reference.
final class JSONCoding: Sendable {
    let encoding: JSON.EncodingOptions
    let decoding: JSON.DecodingOptions

    init(encoding: JSON.EncodingOptions, decoding: JSON.DecodingOptions) {
        self.encoding = encoding
        self.decoding = decoding
    }

    static let standard = JSONCoding(encoding: JSON.EncodingOptions(), decoding: .standard)
}

extension Parameters {
    /// Returns the parameters with their dates and coding keys in the format of the options.
    func written(by coding: JSONCoding) throws(InvalidInput) -> Parameters {
        if coding === JSONCoding.standard { return self }
        var writer = ParameterWriter(options: coding.encoding)
        do {
            return try writer.parameters(self)
        } catch {
            throw InvalidInput("the parameters can't be sent: \(error)")
        }
    }
}

private struct ParameterWriter {
    let options: JSON.EncodingOptions
    private var path: [any CodingKey] = []
    private var snakeCase: [String: String] = [:]

    init(options: JSON.EncodingOptions) {
        self.options = options
    }

    mutating func parameters(_ parameters: Parameters) throws -> Parameters {
        var members: [Parameters.Member] = []
        for member in parameters.members {
            path.append(Key(member.name))
            defer { path.removeLast() }
            let name = member.isCodingKey ? try name(member.name) : member.name
            members.append(.init(name: name, value: try value(member.value)))
        }
        return Parameters(members: members)
    }

    private mutating func value(_ value: ParameterValue) throws -> ParameterValue {
        switch value.form {
        case .date(let seconds): return try date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let values):
            var list: [ParameterValue] = []
            for element in values { list.append(try self.value(element)) }
            return .list(list)
        case .object(let members): return .object(try parameters(members))
        case .null, .absent, .bool, .number, .string, .invalid: return value
        }
    }

    private func date(_ date: Date) throws -> ParameterValue {
        if case .iso8601 = options.dateEncodingStrategy { return date.parameterValue }
        let json = try JSON(parsing: options.encoder.encode([date]))[0]
        if let text = json.string { return .string(text) }
        return ParameterEncoder.value(of: json)
    }

    private mutating func name(_ name: String) throws -> String {
        switch options.keyEncodingStrategy {
        case .useDefaultKeys: return name
        case .custom(let rename): return rename(path).stringValue
        default:
            if let known = snakeCase[name] { return known }
            let json = try JSON(parsing: options.encoder.encode(Named(key: Key(name))))
            let changed = json.members.first { _ in true }?.key ?? name
            snakeCase[name] = changed
            return changed
        }
    }

    private struct Named: Encodable {
        let key: Key

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(true, forKey: key)
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) {
            stringValue = name
        }

        init?(stringValue: String) {
            self.init(stringValue)
        }

        init?(intValue: Int) {
            nil
        }
    }
}
