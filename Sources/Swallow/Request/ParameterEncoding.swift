import Foundation

/// How parameters are written: percent-encoded names and values, or a JSON object.
public struct ParameterEncoding: Sendable, Hashable {
    /// How percent encoding writes an array `ids` of 1 and 2.
    public enum Arrays: Sendable, Hashable {
        /// `ids[]=1&ids[]=2`
        case brackets
        /// `ids=1&ids=2`
        case `repeat`
        /// `ids[0]=1&ids[1]=2`
        case indices
        /// `ids=1,2`; a comma inside an element is escaped, one between elements is not. Elements that are
        /// arrays or objects themselves can't be sent.
        case commaSeparated
    }

    /// How percent encoding writes true and false.
    public enum Booleans: Sendable, Hashable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal
    }

    /// How percent encoding writes nil.
    public enum Nils: Sendable, Hashable {
        /// The parameter is left out.
        case drop
        /// The name with an empty value: `name=`
        case emptyValue
    }

    enum Form: Sendable, Hashable {
        case percent(PercentEncodedForm)
        case json
    }

    let form: Form

    /// Percent encoding with brackets for arrays, `1` and `0` for booleans, and nils left out.
    public static let percent = percent()

    /// A JSON object (RFC 8259). In a query, percent encoding takes its place.
    public static let json = ParameterEncoding(form: .json)

    /// Percent encoding: everything outside the unreserved set of RFC 3986 §2.3 is escaped, in names and in
    /// values, as UTF-8; members of an object `a` are written as `a[b]`.
    public static func percent(
        arrays: Arrays = .brackets, booleans: Booleans = .numeric, nils: Nils = .drop
    ) -> ParameterEncoding {
        ParameterEncoding(form: .percent(PercentEncodedForm(arrays: arrays, booleans: booleans, nils: nils)))
    }

    /// The query that carries `parameters`, without a question mark.
    func query(_ parameters: Parameters) throws(InvalidInput) -> String {
        switch form {
        case .percent(let form): try form.text(of: parameters)
        case .json: try PercentEncodedForm().text(of: parameters)
        }
    }

    /// The body that carries `parameters`, and its content type.
    func body(_ parameters: Parameters) throws(InvalidInput) -> (data: Data, contentType: String) {
        switch form {
        case .percent(let form):
            (Data(try form.text(of: parameters).utf8), "application/x-www-form-urlencoded")
        case .json:
            (try parameters.json().data, "application/json")
        }
    }
}

/// What a caller gave that can't be sent, in words for a developer.
struct InvalidInput: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
