import Foundation

/// The format in which a request sends its parameters: percent encoding or JSON.
public struct ParameterEncoding: Sendable, Hashable {
    /// The format of an array in percent encoding. The examples show an array `ids` with the elements 1 and 2. The
    /// brackets are sent percent-encoded.
    public enum Arrays: Sendable, Hashable {
        /// `ids[]=1&ids[]=2`
        case brackets
        /// `ids=1&ids=2`
        case `repeat`
        /// `ids[0]=1&ids[1]=2`
        case indices
        /// `ids=1,2`. A comma inside an element is escaped. If an element is an array or an object, the task fails.
        case commaSeparated
    }

    /// The format of `true` and `false` in percent encoding.
    public enum Booleans: Sendable, Hashable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal
    }

    /// The format of `nil` in percent encoding.
    public enum Nils: Sendable, Hashable {
        /// The parameter is omitted.
        case drop
        /// The name with an empty value: `name=`
        case emptyValue
    }

    enum Form: Sendable, Hashable {
        case percent(PercentEncodedForm)
        case json
    }

    let form: Form

    /// Percent encoding with `[]` after the names of arrays, with `1` and `0` for Booleans, and without `nil` values.
    public static let percent = percent()

    /// A JSON object in the body (RFC 8259). Parameters in a query are percent-encoded instead.
    public static let json = ParameterEncoding(form: .json)

    /// Returns percent encoding with these formats. It escapes all characters except the unreserved ones (RFC 3986
    /// §2.3), as UTF-8. The members of an object `a` have names such as `a[b]`.
    public static func percent(
        arrays: Arrays = .brackets, booleans: Booleans = .numeric, nils: Nils = .drop
    ) -> ParameterEncoding {
        ParameterEncoding(form: .percent(PercentEncodedForm(arrays: arrays, booleans: booleans, nils: nils)))
    }

    func query(_ parameters: Parameters) throws(ServiceError) -> String {
        switch form {
        case .percent(let form): try form.text(of: parameters)
        case .json: try PercentEncodedForm().text(of: parameters)
        }
    }

    func body(_ parameters: Parameters) throws(ServiceError) -> (data: Data, contentType: String) {
        switch form {
        case .percent(let form):
            (Data(try form.text(of: parameters).utf8), "application/x-www-form-urlencoded")
        case .json:
            (try parameters.json().data, "application/json")
        }
    }
}

struct PercentEncodedForm: Sendable, Hashable {
    var arrays = ParameterEncoding.Arrays.brackets
    var booleans = ParameterEncoding.Booleans.numeric
    var nils = ParameterEncoding.Nils.drop

    func text(of parameters: Parameters) throws(ServiceError) -> String {
        var text = ""
        for member in parameters.members {
            try append(member.value, named: member.name, to: &text)
        }
        return text
    }

    private func append(
        _ value: ParameterValue, named name: String, to text: inout String
    ) throws(ServiceError) {
        switch value.form {
        case .array(let values): try append(values, named: name, to: &text)
        case .object(let parameters):
            for member in parameters.members {
                try append(member.value, named: "\(name)[\(member.name)]", to: &text)
            }
        default:
            guard let scalar = try scalar(value, named: name) else { return }
            appendPair(name, PercentEncoding.encode(scalar), to: &text)
        }
    }

    private func append(
        _ values: [ParameterValue], named name: String, to text: inout String
    ) throws(ServiceError) {
        switch arrays {
        case .brackets:
            for value in values { try append(value, named: "\(name)[]", to: &text) }
        case .repeat:
            for value in values { try append(value, named: name, to: &text) }
        case .indices:
            for (index, value) in values.enumerated() {
                try append(value, named: "\(name)[\(index)]", to: &text)
            }
        case .commaSeparated:
            var elements: [String] = []
            for value in values {
                guard let scalar = try scalar(value, named: name) else { continue }
                elements.append(PercentEncoding.encode(scalar))
            }
            if !elements.isEmpty { appendPair(name, elements.joined(separator: ","), to: &text) }
        }
    }

    private func appendPair(_ name: String, _ encodedValue: String, to text: inout String) {
        if !text.isEmpty { text += "&" }
        text += PercentEncoding.encode(name)
        text += "="
        text += encodedValue
    }

    private func scalar(_ value: ParameterValue, named name: String) throws(ServiceError) -> String? {
        switch value.form {
        case .null, .absent: nils == .emptyValue ? "" : nil
        case .bool(let bool): booleans == .numeric ? (bool ? "1" : "0") : String(bool)
        case .number(let text), .string(let text): text
        case .date(let seconds): try Date(timeIntervalSinceReferenceDate: seconds).iso8601(named: name)
        case .array, .object:
            throw .invalidRequest("the parameter \"\(name)\" contains a list inside a comma-separated list")
        case .invalid(let reason): throw .unsendable(name, reason)
        }
    }
}

extension Parameters {
    func json(inside parent: String? = nil) throws(ServiceError) -> JSON {
        var names: Set<String> = []
        var converted: [(String, JSON)] = []
        for member in members {
            if member.value.form == .absent { continue }
            let path = parent.map { "\($0)[\(member.name)]" } ?? member.name
            guard names.insert(member.name).inserted else {
                throw .invalidRequest("the parameter \"\(path)\" appears twice in a JSON object")
            }
            converted.append((member.name, try member.value.json(named: path)))
        }
        return .object(converted)
    }
}

extension ParameterValue {
    fileprivate func json(named name: String) throws(ServiceError) -> JSON {
        switch form {
        case .null, .absent: return .null
        case .date(let seconds):
            return .string(try Date(timeIntervalSinceReferenceDate: seconds).iso8601(named: name))
        case .bool(let bool): return .bool(bool)
        case .number(let text):
            do { return try JSON(parsing: text) } catch { throw .unsendable(name, "\(error)") }
        case .string(let text): return .string(text)
        case .array(let values):
            var elements: [JSON] = []
            for value in values { elements.append(try value.json(named: name)) }
            return .array(elements)
        case .object(let parameters): return try parameters.json(inside: name)
        case .invalid(let reason): throw .unsendable(name, reason)
        }
    }
}

extension Date {
    fileprivate func iso8601(named name: String) throws(ServiceError) -> String {
        guard self >= .distantPast, timeIntervalSince1970 < 253_402_300_800 else {
            throw .unsendable(name, "the year of the date isn't between 1 and 9999")
        }
        return formatted(.iso8601)
    }
}

extension ServiceError {
    fileprivate static func unsendable(_ name: String, _ reason: String) -> ServiceError {
        invalidRequest(
            name.isEmpty ? "the parameters can't be sent: \(reason)" : "the parameter \"\(name)\": \(reason)")
    }
}

extension Parameters {
    /// Returns the parameters with their dates and coding keys in the format of the options.
    func written(by coding: JSONCoding) throws(ServiceError) -> Parameters {
        if coding === JSONCoding.standard { return self }
        do {
            return try written(by: coding.encoding, at: [])
        } catch {
            throw .invalidRequest("the parameters can't be sent: \(error)")
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
    fileprivate func name(at path: [any CodingKey]) -> String {
        let name = path.last?.stringValue ?? ""
        return switch keyEncodingStrategy {
        case .convertToSnakeCase: JSONKey.snakeCase(name)
        case .custom(let rename): rename(path).stringValue
        default: name
        }
    }
}
