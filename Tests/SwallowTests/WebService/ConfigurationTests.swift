import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Configurations")
struct ConfigurationTests {
    @Test("Closures that match are applied in the order added")
    func order() throws {
        var service = WebService.idle("http://h")
        service.configure {
            $0.headers["X"] = "all"; $0.headers["Y"] = "all"
        }
        service.configure("/a/*") { $0.headers["X", default: ""] += "+a" }
        service.configure("/a/b", methods: [.POST]) { $0.headers["X", default: ""] += "+post" }
        service.configure { $0.headers["X", default: ""] += "+last" }
        #expect(try service.sent("/a/b", .POST).value(forHTTPHeaderField: "X") == "all+a+post+last")
        #expect(try service.sent("/a/b").value(forHTTPHeaderField: "X") == "all+a+last")
        #expect(try service.sent("/c").value(forHTTPHeaderField: "X") == "all+last")
        #expect(try service.sent("/c").value(forHTTPHeaderField: "Y") == "all")
    }

    @Test("A stored closure configures a service, as a closure after the call does")
    func stored() throws {
        let settings: @Sendable (inout WebService.Configuration) -> Void = {
            $0.headers["X", default: ""] += "+stored"
        }
        var service = WebService.idle("http://h")
        service.configure(settings)
        service.configure { $0.headers["X", default: ""] += "+trailing" }
        service = service.configured(settings).configured { $0.headers["X", default: ""] += "+copy" }
        #expect(try service.sent("/a").value(forHTTPHeaderField: "X") == "+stored+trailing+stored+copy")
    }

    @Test("A closure runs once for each combination that matches, and again when told to")
    func once() {
        let runs = Recorder<String>()
        var service = WebService.idle("http://h")
        service.configure { _ in runs.append("all") }
        service.configure("/a") { _ in runs.append("a") }
        #expect(runs.values.isEmpty)
        for _ in 0..<3 {
            _ = service.GET("/a")
            _ = service.POST("/b")
            _ = service.GET("/c?x=1")
        }
        #expect(runs.values == ["all", "a", "all"])
        service.invalidateConfiguration()
        _ = service.GET("/a")
        _ = service.GET("/a")
        #expect(runs.values == ["all", "a", "all", "all", "a"])
    }

    @Test("Copies share what a closure made")
    func copies() {
        let runs = Recorder<Int>()
        var service = WebService.idle("http://h")
        service.configure { _ in runs.append(1) }
        let copy = service
        _ = service.GET("/")
        _ = copy.GET("/")
        #expect(runs.values.count == 1)
        copy.invalidateConfiguration()
        _ = service.GET("/")
        #expect(runs.values.count == 2)
    }

    @Test("A copy that is configured further leaves the original alone")
    func valueSemantics() {
        var original = WebService.idle("http://h")
        original.configure { $0.headers["A"] = "1" }
        var copy = original
        copy.configure { $0.headers["B"] = "2" }
        original.configure { $0.headers["C"] = "3" }
        #expect(original.GET("/").request.headers == ["A": "1", "C": "3"])
        #expect(copy.GET("/").request.headers == ["A": "1", "B": "2"])
    }

    @Test("A request made before keeps the configuration it was made with")
    func settled() {
        var service = WebService.idle("http://h")
        let task = service.GET("/")
        service.configure { $0.headers["A"] = "1" }
        #expect(task.request.headers.isEmpty)
    }

    @Test("configured gives a changed copy, for a constant")
    func configured() throws {
        let plain = WebService.idle("http://h")
        let service = plain.configured { $0.headers["A"] = "1" }.configured("/x", methods: [.POST]) {
            $0.headers["A"] = "2"
        }
        #expect(service.GET("/x").request.headers == ["A": "1"])
        #expect(service.POST("/x").request.headers == ["A": "2"])
        #expect(plain.GET("/x").request.headers.isEmpty)
    }

    @Test(
        "Acceptable content types decide what is a success; the error names those wanted and the one that came"
    )
    func contentTypes() async throws {
        let source = ManualDataSource(answersInResume: { exchange in
            let isEmpty = exchange.request.url?.path() == "/empty"
            exchange.answer(isEmpty ? "" : "[1]", headers: ["Content-Type": "Application/Problem+JSON; a=b"])
        })
        var service = WebService.test(source)
        service.configure { $0.acceptableContentTypes = ["text/*", "*/*+json"] }
        #expect(try await service.GET("/").json == [1])
        service.configure("/strict*") { $0.acceptableContentTypes = ["text/csv", "text/html"] }
        let reason = ServiceError.Reason.contentMismatch(
            expected: "text/csv, text/html", actual: "Application/Problem+JSON; a=b")
        guard case .failure(let error) = await service.GET("/strict").result else {
            Issue.record("a success")
            return
        }
        #expect(error.reason == reason && error.statusCode == 200 && error.json == [1])
        #expect(
            error.description.contains(
                "expected the content type text/csv, text/html, but the response has Application/Problem+JSON; a=b"
            ))
        #expect(WebService.Configuration().acceptableContentTypes == nil)
        _ = try await service.GET("/empty", options: [.acceptableContentTypes(["text/csv"])]).data
        _ = try await service.GET("/strict", options: [.acceptableContentTypes(["*/*+json"])]).data
    }

    @Test("Accept says what the standard parsers take, unless the request or the configuration has one")
    func accept() throws {
        func accept(_ service: WebService, _ options: [Request.Option] = []) throws -> String? {
            try service.GET("/", options: options).request.urlRequest().value(forHTTPHeaderField: "Accept")
        }
        let service = WebService.idle("http://h")
        #expect(try accept(service) == "application/json, text/*;q=0.9, */*;q=0.5")
        #expect(try accept(service, [.header("accept", "image/png")]) == "image/png")
        let own = service.configured { $0.headers[.accept] = "a/b" }
        #expect(try accept(own) == "a/b")
        let source = ManualDataSource()
        let json = WebService(baseURLString: "http://h", dataSource: source, standardTransformers: [.json])
        #expect(try accept(json) == "application/json, */*;q=0.5")
        let none = WebService(baseURLString: "http://h", dataSource: source, standardTransformers: [])
        #expect(try accept(none) == nil)
    }

    @Test("A pattern that can't mean what it says is reported, once")
    func misconfiguredPatterns() {
        let events = Recorder<String>()
        var service = WebService.idle("http://h/v1/api")
        service.log = { if case .misconfigured(let problem) = $0 { events.append(problem) } }
        service.configure("/stores?zip=1") { _ in }
        service.configure("/v1/api/stores") { _ in }
        service.configure("v1/api/*") { _ in }
        service.configure("/stores/*") { _ in }
        service.configure("/v1/apis/*") { _ in }
        service.configure("http://h/v1/api/*") { _ in }
        for path: Request.Path in ["/stores", "/stores", "/stores/7", "/x"] { _ = service.GET(path) }
        #expect(
            events.values == [
                "the pattern \"/stores?zip=1\" contains a query, which patterns ignore",
                "the pattern \"/v1/api/stores\" repeats the path of the base URL, but patterns are relative to the base URL",
                "the pattern \"v1/api/*\" repeats the path of the base URL, but patterns are relative to the base URL",
            ])
    }

    @Test("A pattern that can't mean what it says is also reported after a wipe of the caches")
    func misconfiguredPatternAfterWipe() {
        let events = Recorder<String>()
        var service = WebService.idle("http://h")
        service.log = { if case .misconfigured(let problem) = $0 { events.append(problem) } }
        service.configure("/stores?zip=1") { _ in }
        service.wipeCaches()
        _ = service.GET("/stores")
        #expect(events.values == ["the pattern \"/stores?zip=1\" contains a query, which patterns ignore"])
    }

    @Test("A service without configuration uses the defaults")
    func defaults() throws {
        let request = try WebService.idle("http://h").sent("/")
        #expect(request.allHTTPHeaderFields == ["Accept": "application/json, text/*;q=0.9, */*;q=0.5"])
        #expect(WebService.Configuration().acceptableStatusCodes == (200..<300 as StatusCodes))
        #expect(WebService.Configuration().parameterEncoding == .percent)
        #expect(WebService.Configuration().timeout == nil)
    }
}

extension Headers {
    fileprivate subscript(name: Name, default text: String) -> String {
        get { self[name] ?? text }
        set { self[name] = newValue }
    }
}
