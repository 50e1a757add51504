import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("Headers")
struct HeadersTests {
    @Test("Names are compared case-insensitively, and order and spelling stay unchanged")
    func lookup() {
        let headers: Headers = ["X-B": "1", "x-a": "2", "Content-type": "text/plain"]
        #expect(headers["x-b"] == "1")
        #expect(headers["X-A"] == "2")
        #expect(headers[.contentType] == "text/plain")
        #expect(headers["X-C"] == nil)
        #expect(headers.map(\.name.rawValue) == ["X-B", "x-a", "Content-type"])
        #expect(headers.description == "X-B: 1\nx-a: 2\nContent-type: text/plain")
    }

    @Test("Setting a value replaces all values of the name in the place of the first, and nil removes them")
    func set() {
        var headers: Headers = ["A": "1", "B": "2", "a": "3"]
        #expect(headers["a"] == "1, 3")
        #expect(headers.values(for: "A") == ["1", "3"])
        headers["a"] = "4"
        #expect(headers == ["A": "4", "B": "2"])
        headers.append("5", for: "b")
        headers["B"] = nil
        headers["C"] = nil
        headers["D"] = "6"
        #expect(headers == ["a": "4", "D": "6"])
    }

    @Test("Headers are equal if names, compared case-insensitively, values and order are equal")
    func equality() {
        #expect(["A": "1", "B": "2"] as Headers == ["a": "1", "b": "2"])
        #expect(["A": "1", "B": "2"] as Headers != ["B": "2", "A": "1"])
        #expect(["A": "x"] as Headers != ["A": "X"])
        #expect(Set<Headers>([["A": "1"], ["a": "1"]]).count == 1)
        #expect(Set<Headers.Name>(["A", "a", "B"]).count == 2)
        #expect(Headers(["b": "2", "a": "1"]).map(\.value) == ["1", "2"])
    }

    @Test("Names that are canonically equivalent but have different bytes are different names")
    func unicodeNames() {
        let names: [Headers.Name] = ["\u{E9}", "e\u{301}"]
        #expect(names[0] != names[1])
        #expect(Set(names).count == 2)
    }

    static let bad: [(name: String, value: String)] = [
        ("X", "a\r\nEvil: 1"), ("X", "a\nb"), ("X", "a\r"), ("X", "\0"), ("", "x"), ("X Y", "x"), ("X:", "x"),
        ("X\r\nY", "x"),
        ("é", "x"), ("X\0", "x"), ("(x)", "x"), ("X\t", "x"), ("Content-Type", "text/plain\r\nX: y"),
    ]

    @Test("A header option with invalid characters fails with .invalidRequest", arguments: bad)
    func badOption(name: String, value: String) {
        check(
            name,
            failure { () throws(ServiceError) in try built(options: [.header(Headers.Name(name), value)]) })
    }

    @Test("A configured header with invalid characters fails with .invalidRequest", arguments: bad)
    func badConfiguration(name: String, value: String) {
        var configuration = WebService.Configuration()
        configuration.headers.append(value, for: Headers.Name(name))
        let request = Request(.GET, baseURLString: "http://h", configuration: configuration)
        check(name, failure { () throws(ServiceError) in try request.urlRequest() })
    }

    @Test(
        "A header with invalid characters that adaptRequest sets fails with .invalidRequest",
        arguments: bad)
    func badAdapter(name: String, value: String) {
        var configuration = WebService.Configuration()
        configuration.adaptRequest { $0.allHTTPHeaderFields = [name: value] }
        let request = Request(.GET, baseURLString: "http://h", configuration: configuration)
        check(nil, failure { () throws(ServiceError) in try request.urlRequest() })
    }

    @Test("A content type with a line break can't add a header", arguments: ["a/b\r\nX: y", "a\n", "\0"])
    func badContentType(type: String) {
        let error = failure { () throws(ServiceError) in
            try built(.POST, options: [.body(Data(), contentType: type)])
        }
        check("Content-Type", error)
    }

    @Test("Several values of one name are sent as one list, whatever the case of the name")
    func combined() throws {
        var configuration = WebService.Configuration()
        configuration.headers = ["X-Tag": "a", "Accept": "x/y", "x-tag": "b", "X-TAG": "c"]
        let request = Request(.GET, baseURLString: "http://h", configuration: configuration)
        let fields = try request.urlRequest().allHTTPHeaderFields
        #expect(fields == ["X-Tag": "a, b, c", "Accept": "x/y"])
    }

    @Test("A header option replaces configured headers of its name, and the last option counts")
    func precedence() throws {
        var configuration = WebService.Configuration()
        configuration.headers = ["Accept": "a", "accept": "b", "X": "1"]
        let request = Request(
            .GET, baseURLString: "http://h", options: [.header("ACCEPT", "c"), .header("accept", "d")],
            configuration: configuration)
        #expect(request.headers == ["Accept": "d", "X": "1"])
        #expect(try request.urlRequest().value(forHTTPHeaderField: "Accept") == "d")
    }

    private func check(_ name: String?, _ error: ServiceError?) {
        #expect(error?.reason == .invalidRequest)
        if let name { #expect(error?.description.contains("\"\(name)\"") == true) }
    }

    @Test("A request can have 1000 header options")
    func manyOptions() throws {
        let options = (0..<1000).map { Request.Option.header(.init("X-\($0)"), "\($0)") }
        let request = Request(.GET, baseURLString: "http://h", options: options)
        #expect(request.headers.count == 1000)
        #expect(try request.urlRequest().allHTTPHeaderFields?.count == 1001)
    }
}
