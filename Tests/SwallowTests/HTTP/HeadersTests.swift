import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("Headers")
struct HeadersTests {
    @Test("are found whatever the case, and keep order and spelling")
    func lookup() {
        let headers: Headers = ["X-B": "1", "x-a": "2", "Content-type": "text/plain"]
        #expect(headers["x-b"] == "1")
        #expect(headers["X-A"] == "2")
        #expect(headers[.contentType] == "text/plain")
        #expect(headers["X-C"] == nil)
        #expect(headers.map(\.name.rawValue) == ["X-B", "x-a", "Content-type"])
        #expect(headers.description == "X-B: 1\nx-a: 2\nContent-type: text/plain")
    }

    @Test("Setting one replaces all of its name, in the place of the first; nil removes them")
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

    @Test("are equal when names but for case, values and order are")
    func equality() {
        #expect(["A": "1", "B": "2"] as Headers == ["a": "1", "b": "2"])
        #expect(["A": "1", "B": "2"] as Headers != ["B": "2", "A": "1"])
        #expect(["A": "x"] as Headers != ["A": "X"])
        #expect(Set<Headers>([["A": "1"], ["a": "1"]]).count == 1)
        #expect(Set<Headers.Name>(["A", "a", "B"]).count == 2)
        #expect(Headers(["b": "2", "a": "1"]).map(\.value) == ["1", "2"])
    }

    @Test("Names that Unicode finds equal but whose bytes differ are two names, also as keys")
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

    @Test("that can't be sent are an invalid request: in an option", arguments: bad)
    func badOption(name: String, value: String) {
        check(
            name,
            failure { () throws(ServiceError) in try built(options: [.header(Headers.Name(name), value)]) })
    }

    @Test("that can't be sent are an invalid request: in a configuration", arguments: bad)
    func badConfiguration(name: String, value: String) {
        var configuration = WebService.Configuration()
        configuration.headers.append(value, for: Headers.Name(name))
        let request = Request(.GET, baseURLString: "http://h", configuration: configuration)
        check(name, failure { () throws(ServiceError) in try request.urlRequest() })
    }

    @Test(
        "that can't be sent are an invalid request: set by adaptRequest",
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

    @Test("Several of one name are sent as one list, whatever their case")
    func combined() throws {
        var configuration = WebService.Configuration()
        configuration.headers = ["X-Tag": "a", "Accept": "x/y", "x-tag": "b", "X-TAG": "c"]
        let request = Request(.GET, baseURLString: "http://h", configuration: configuration)
        let fields = try request.urlRequest().allHTTPHeaderFields
        #expect(fields == ["X-Tag": "a, b, c", "Accept": "x/y"])
    }

    @Test("An option takes the place of what is configured, whatever the case; the last one counts")
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

    @Test("Many values at once are set as if one after the other")
    func many() {
        var generator = SystemRandomNumberGenerator()
        for count in [0, 3, 15, 16, 40, 200] {
            var (one, all) = (Headers(), Headers())
            for number in 0..<count / 3 {
                one.append("\(number)", for: Headers.Name("N\(number % 7)"))
                all.append("\(number)", for: Headers.Name("N\(number % 7)"))
            }
            let values = (0..<count).map { number in
                let name = Int.random(in: 0..<max(1, count / 2), using: &generator)
                return (name: Headers.Name(number % 2 == 0 ? "n\(name)" : "N\(name)"), value: "v\(number)")
            }
            for (name, value) in values { one[name] = value }
            all.set(values)
            #expect(one == all)
        }
    }

    @Test("100 000 header options are no more work than they are", .timeLimit(.minutes(10)))
    func manyOptions() throws {
        let options = (0..<100_000).map { Request.Option.header(.init("X-\($0)"), "\($0)") }
        let request = Request(.GET, baseURLString: "http://h", options: options)
        #expect(request.headers.count == 100_000)
        #expect(try request.urlRequest().allHTTPHeaderFields?.count == 100_001)
    }
}
