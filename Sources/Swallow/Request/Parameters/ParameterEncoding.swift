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
