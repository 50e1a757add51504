import Swallow
import TestSupport
import Testing

@Suite("Parameter encodings")
struct ParameterEncodingTests {
    struct Case: Sendable {
        let encoding: ParameterEncoding
        let query: String

        init(_ encoding: ParameterEncoding, _ query: String) {
            self.encoding = encoding
            self.query = query.replacing("[", with: "%5B").replacing("]", with: "%5D")
        }
    }

    static let lists = [
        Case(.percent, "l[]=1&l[]=2&e=x"),
        Case(.percent(arrays: .brackets), "l[]=1&l[]=2&e=x"),
        Case(.percent(arrays: .repeat), "l=1&l=2&e=x"),
        Case(.percent(arrays: .indices), "l[0]=1&l[1]=2&e=x"),
        Case(.percent(arrays: .commaSeparated), "l=1,2&e=x"),
        Case(.json, "l[]=1&l[]=2&e=x"),
    ]

    @Test("Lists are encoded as the arrays setting specifies", arguments: lists)
    func arrays(_ example: Case) throws {
        #expect(try query(["l": [1, 2], "none": [String](), "e": "x"], example.encoding) == example.query)
    }

    static let nested = [
        Case(.percent, "o[a]=1&o[l][]=2&o[p][q]=3&m[][]=4&m[][]=5&r[][k]=6"),
        Case(.percent(arrays: .repeat), "o[a]=1&o[l]=2&o[p][q]=3&m=4&m=5&r[k]=6"),
        Case(.percent(arrays: .indices), "o[a]=1&o[l][0]=2&o[p][q]=3&m[0][0]=4&m[1][0]=5&r[0][k]=6"),
    ]

    @Test("Nested lists and objects are encoded as the arrays setting specifies", arguments: nested)
    func nesting(_ example: Case) throws {
        let parameters: Parameters = [
            "o": ["a": 1, "l": [2], "p": ["q": 3]] as Parameters, "m": [[4], [5]], "r": [["k": 6]],
        ]
        #expect(try query(parameters, example.encoding) == example.query)
    }

    @Test("A comma-separated list can't contain another list or an object")
    func nestedCommas() {
        for parameters: Parameters in [["deep": [[1]]], ["deep": [["a": 1]]]] {
            let error = failure { () throws(ServiceError) in
                try query(parameters, .percent(arrays: .commaSeparated))
            }
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("\"deep\"") == true)
        }
    }

    static let scalars = [
        Case(.percent, "t=1&f=0&l[]=1"),
        Case(.percent(booleans: .literal), "t=true&f=false&l[]=true"),
        Case(.percent(nils: .emptyValue), "t=1&f=0&n=&l[]=1&l[]="),
        Case(.percent(arrays: .commaSeparated, nils: .emptyValue), "t=1&f=0&n=&l=1,"),
        Case(.percent(arrays: .commaSeparated), "t=1&f=0&l=1"),
        Case(
            .percent(arrays: .indices, booleans: .literal, nils: .emptyValue),
            "t=true&f=false&n=&l[0]=true&l[1]="),
    ]

    @Test("Booleans and nils are encoded as the settings specify", arguments: scalars)
    func booleansAndNils(_ example: Case) throws {
        let parameters: Parameters = ["t": true, "f": false, "n": nil, "l": [true, nil] as [Bool?]]
        #expect(try query(parameters, example.encoding) == example.query)
    }

    @Test("All characters except the unreserved ones are escaped in names and values")
    func unreserved() throws {
        let kept = "ABCXYZabcxyz0189-._~"
        #expect(try query([kept: kept]) == "\(kept)=\(kept)")
        for byte in UInt8(0)..<128 {
            let text = String(UnicodeScalar(byte))
            if kept.contains(text) || text.first?.isLetter == true || text.first?.isNumber == true {
                continue
            }
            let hexadecimal = String(byte, radix: 16, uppercase: true)
            let escape = "%" + (byte < 16 ? "0" : "") + hexadecimal
            #expect(try query([text: text]) == "\(escape)=\(escape)")
        }
        #expect(try query(["é": "日"]) == "%C3%A9=%E6%97%A5")
    }

    @Test("A request's encoding option overrides the configured encoding")
    func precedence() throws {
        var configuration = WebService.Configuration()
        configuration.parameterEncoding = .json
        let request = Request(
            .POST, baseURLString: "http://h", parameters: ["a": 1], options: [.parameterEncoding(.percent)],
            configuration: configuration)
        #expect(try request.urlRequest().bodyText == "a=1")
        let configured = Request(
            .POST, baseURLString: "http://h", parameters: ["a": 1], configuration: configuration)
        #expect(try configured.urlRequest().bodyText == #"{"a":1}"#)
    }
}
