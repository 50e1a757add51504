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
        do {
            return try written(by: coding.encoding, at: [])
        } catch {
            throw InvalidInput("the parameters can't be sent: \(error)")
        }
    }

    fileprivate func written(by options: JSON.EncodingOptions, at path: [any CodingKey]) throws
        -> Parameters
    {
        Parameters(
            members: try members.map { member in
                let path = path + [JSONKey(stringValue: member.name)]
                let name = member.isCodingKey ? options.name(at: path) : member.name
                return Member(name: name, value: try member.value.written(by: options, at: path))
            })
    }
}

extension ParameterValue {
    fileprivate func written(by options: JSON.EncodingOptions, at path: [any CodingKey]) throws
        -> ParameterValue
    {
        switch form {
        case .date(let seconds):
            if case .iso8601 = options.dateEncodingStrategy { return self }
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return ParameterEncoder.value(of: try JSON(parsing: options.data(of: [date]))[0])
        case .array(let values): return .list(try values.map { try $0.written(by: options, at: path) })
        case .object(let members): return .object(try members.written(by: options, at: path))
        case .null, .absent, .bool, .number, .string, .invalid: return self
        }
    }
}

extension JSON.EncodingOptions {
    /// Returns the name of the last key of a path.
    fileprivate func name(at path: [any CodingKey]) -> String {
        let name = path.last?.stringValue ?? ""
        return switch keyEncodingStrategy {
        case .convertToSnakeCase: JSONKey.snakeCase(name)
        case .custom(let rename): rename(path).stringValue
        default: name
        }
    }
}
