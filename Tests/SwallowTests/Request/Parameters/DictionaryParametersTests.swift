import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Parameters and paths from variables")
struct DictionaryParametersTests {
    private let service = WebService.idle("http://h")

    @Test("A dictionary can be used as parameters, in the order of its keys")
    func dictionary() throws {
        let text = ["foo": "bar", "a": "b"]
        let optionals: [String: Int?] = ["n": 1, "m": nil]
        let mixed: [String: any ParameterConvertible] = ["n": 1, "l": ["x"]]
        let tasks = [
            service.GET("/get", parameters: text), service.HEAD("/get", parameters: text),
            service.POST("/get", parameters: text), service.PUT("/get", parameters: text),
            service.PATCH("/get", parameters: text), service.DELETE("/get", parameters: text),
            service.OPTIONS("/get", parameters: text), service.request(.GET, path: "/get", parameters: text),
        ]
        for task in tasks {
            let request = try task.request.urlRequest()
            #expect((request.url?.query() ?? request.bodyText) == "a=b&foo=bar")
        }
        #expect(try service.GET("/get", parameters: optionals).request.urlRequest().url?.query() == "n=1")
        #expect(
            try service.GET("/get", parameters: mixed).request.urlRequest().url?.query(percentEncoded: true)
                == "l%5B%5D=x&n=1")
    }

    @Test("A dictionary literal keeps its written order, whatever its values")
    func literals() throws {
        let one = 1
        let requests = [
            service.GET("/", parameters: ["b": "x", "a": "y"]),
            service.GET("/", parameters: ["b": 1, "a": 2]),
            service.GET("/", parameters: ["b": one, "a": one]),
            service.GET("/", parameters: ["b": "x", "a": nil, "A": 2]),
            service.GET("/", parameters: ["b": ["y": 1, "x": 2] as Parameters, "a": [1]]),
            service.request(.GET, path: "/", parameters: ["b": true, "a": false]),
        ].map(\.request.parameters)
        let expected: [Parameters] = [
            ["b": "x", "a": "y"], ["b": 1, "a": 2], ["b": 1, "a": 1], ["b": "x", "a": nil, "A": 2],
            ["b": ["y": 1, "x": 2] as Parameters, "a": [1]], ["b": true, "a": false],
        ]
        #expect(requests == expected)
        #expect(service.GET("/", parameters: [:]).request.parameters.isEmpty)
    }

    @Test("A URL can be used as a path by each method")
    func urls() throws {
        let url = try #require(URL(string: "https://o/x?y=%20"))
        let tasks = [
            service.GET(url), service.HEAD(url), service.POST(url), service.PUT(url), service.PATCH(url),
            service.DELETE(url), service.OPTIONS(url),
        ]
        for task in tasks { #expect(task.request.urlString == "https://o/x?y=%20") }
        #expect(
            try service.GET(url, parameters: ["a": 1]).request.urlRequest().url?.absoluteString
                == "https://o/x?y=%20&a=1")
        let relative = try #require(URL(string: "stores/7"))
        #expect(service.GET(relative).request.urlString == "http://h/stores/7")
        let file = service.GET(URL(filePath: "/etc"))
        #expect(failure { () throws(ServiceError) in try file.request.urlRequest() }?.reason == .invalidURL)
    }

    @Test("An app's own type can be used as a path")
    func ownPaths() {
        enum Feed: String, RequestPathConvertible {
            case top
            var requestPath: Request.Path { "/feeds/\(rawValue)" }
        }
        #expect(service.GET(Feed.top).request.urlString == "http://h/feeds/top")
    }

    @Test(
        "A path that begins with an interpolated path or URL fails with .invalidURL and a suggestion",
        arguments: ["https://h/v1", "http://evil.com", "/users", "//evil.com", "ftp://x"])
    func wholePath(value: String) {
        for path: Request.Path in ["\(value)/get", "/\(value)", "\(value)", "//\(value)?x=1"] {
            let error = failure { () throws(ServiceError) in try built(path: path) }
            #expect(error?.reason == .invalidURL)
            #expect(error?.description.contains(#"Write \(raw: …)"#) == true)
        }
        #expect(Request.Path("/proxy/\(value)").text.hasPrefix("/proxy/"))
        let inside: Request.Path = "/proxy/\(value)"
        #expect(failure { () throws(ServiceError) in try built(path: inside) } == nil)
        let asQuery: Request.Path = "?next=\(value)"
        #expect(failure { () throws(ServiceError) in try built(path: asQuery) } == nil)
    }

    @Test("A list of mixed values can be written as .array")
    func mixedArrays() throws {
        let count = 1
        let parameters: Parameters = ["tags": .array("a", count, true, nil), "none": .array()]
        #expect(try query(parameters) == "tags%5B%5D=a&tags%5B%5D=1&tags%5B%5D=1")
        #expect(try body(parameters, .json) == #"{"tags":["a",1,true,null],"none":[]}"#)
    }
}
