import Foundation

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

    init(options: JSON.EncodingOptions) {
        self.options = options
    }

    mutating func parameters(_ parameters: Parameters) throws -> Parameters {
        var members: [Parameters.Member] = []
        for member in parameters.members {
            path.append(JSONKey(stringValue: member.name))
            defer { path.removeLast() }
            let name = member.isCodingKey ? name(member.name) : member.name
            members.append(.init(name: name, value: try value(member.value)))
        }
        return Parameters(members: members)
    }

    private mutating func value(_ value: ParameterValue) throws -> ParameterValue {
        switch value.form {
        case .date(let seconds): return try date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let values): return .list(try values.map { try self.value($0) })
        case .object(let members): return .object(try parameters(members))
        case .null, .absent, .bool, .number, .string, .invalid: return value
        }
    }

    private func date(_ date: Date) throws -> ParameterValue {
        if case .iso8601 = options.dateEncodingStrategy { return date.parameterValue }
        return ParameterEncoder.value(of: try JSON(parsing: options.data(of: [date]))[0])
    }

    private func name(_ name: String) -> String {
        switch options.keyEncodingStrategy {
        case .convertToSnakeCase: JSONKey.snakeCase(name)
        case .custom(let rename): rename(path).stringValue
        default: name
        }
    }
}
