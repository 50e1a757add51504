import Foundation

/// The format of parameters, which is percent-encoded names and values, or a JSON object.
public struct ParameterEncoding: Sendable, Hashable {
    /// The format of an array `ids` with the elements 1 and 2 in percent encoding.
    public enum Arrays: Sendable, Hashable {
        /// `ids[]=1&ids[]=2`
        case brackets
        /// `ids=1&ids=2`
        case `repeat`
        /// `ids[0]=1&ids[1]=2`
        case indices
        /// `ids=1,2`. A comma inside an element is escaped, but a comma between elements isn't. Elements that are
        /// arrays or objects can't be sent.
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

    /// Percent encoding with brackets for arrays, `1` and `0` for Booleans, and without `nil` values.
    public static let percent = percent()

    /// A JSON object (RFC 8259). In a query, percent encoding is used instead.
    public static let json = ParameterEncoding(form: .json)

    /// Creates percent encoding. In names and values, every character outside the unreserved set of RFC 3986 §2.3 is
    /// escaped as UTF-8. Members of an object `a` are written as `a[b]`.
    public static func percent(
        arrays: Arrays = .brackets, booleans: Booleans = .numeric, nils: Nils = .drop
    ) -> ParameterEncoding {
        ParameterEncoding(form: .percent(PercentEncodedForm(arrays: arrays, booleans: booleans, nils: nils)))
    }

    func query(_ parameters: Parameters) throws(InvalidInput) -> String {
        switch form {
        case .percent(let form): try form.text(of: parameters)
        case .json: try PercentEncodedForm().text(of: parameters)
        }
    }

    func body(_ parameters: Parameters) throws(InvalidInput) -> (data: Data, contentType: String) {
        switch form {
        case .percent(let form):
            (Data(try form.text(of: parameters).utf8), "application/x-www-form-urlencoded")
        case .json:
            (try parameters.json().data, "application/json")
        }
    }
}

struct InvalidInput: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
