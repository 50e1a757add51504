import Foundation

struct PercentEncodedForm: Sendable, Hashable {
    var arrays = ParameterEncoding.Arrays.brackets
    var booleans = ParameterEncoding.Booleans.numeric
    var nils = ParameterEncoding.Nils.drop

    func text(of parameters: Parameters) throws(InvalidInput) -> String {
        var text = ""
        for member in parameters.members {
            try append(member.value, named: member.name, to: &text)
        }
        return text
    }

    private func append(
        _ value: ParameterValue, named name: String, to text: inout String
    ) throws(InvalidInput) {
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
    ) throws(InvalidInput) {
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

    private func scalar(_ value: ParameterValue, named name: String) throws(InvalidInput) -> String? {
        switch value.form {
        case .null, .absent: nils == .emptyValue ? "" : nil
        case .bool(let bool): booleans == .numeric ? (bool ? "1" : "0") : String(bool)
        case .number(let text), .string(let text): text
        case .date(let seconds): try Date(timeIntervalSinceReferenceDate: seconds).iso8601(named: name)
        case .array, .object:
            throw InvalidInput("the parameter \"\(name)\" contains a list inside a comma-separated list")
        case .invalid(let reason): throw InvalidInput.parameter(name, reason)
        }
    }
}

extension Parameters {
    func json(inside parent: String? = nil) throws(InvalidInput) -> JSON {
        var names: Set<String> = []
        var converted: [(String, JSON)] = []
        for member in members {
            if member.value.form == .absent { continue }
            let path = parent.map { "\($0)[\(member.name)]" } ?? member.name
            guard names.insert(member.name).inserted else {
                throw InvalidInput("the parameter \"\(path)\" appears twice in a JSON object")
            }
            converted.append((member.name, try member.value.json(named: path)))
        }
        return .object(converted)
    }
}

extension ParameterValue {
    fileprivate func json(named name: String) throws(InvalidInput) -> JSON {
        switch form {
        case .null, .absent: return .null
        case .date(let seconds):
            return .string(try Date(timeIntervalSinceReferenceDate: seconds).iso8601(named: name))
        case .bool(let bool): return .bool(bool)
        case .number(let text):
            do { return try JSON(parsing: text) } catch { throw InvalidInput.parameter(name, "\(error)") }
        case .string(let text): return .string(text)
        case .array(let values):
            var elements: [JSON] = []
            for value in values { elements.append(try value.json(named: name)) }
            return .array(elements)
        case .object(let parameters): return try parameters.json(inside: name)
        case .invalid(let reason): throw InvalidInput.parameter(name, reason)
        }
    }
}

extension Date {
    fileprivate func iso8601(named name: String) throws(InvalidInput) -> String {
        guard self >= .distantPast, timeIntervalSince1970 < 253_402_300_800 else {
            throw InvalidInput.parameter(name, "the year of the date isn't between 1 and 9999")
        }
        return formatted(.iso8601)
    }
}

extension InvalidInput {
    fileprivate static func parameter(_ name: String, _ reason: String) -> InvalidInput {
        InvalidInput(
            name.isEmpty ? "the parameters can't be sent: \(reason)" : "the parameter \"\(name)\": \(reason)")
    }
}
