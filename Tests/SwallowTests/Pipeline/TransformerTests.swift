import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Pipelines: transformers")
struct TransformerTests {
    private struct Model: Decodable, Equatable, Sendable {
        let name: String
    }

    private let source = ManualDataSource(answersInResume: { exchange in
        switch exchange.request.url?.path() {
        case "/text": exchange.answer("hello", headers: ["Content-Type": "text/plain"])
        case "/empty": exchange.answer("")
        case "/untyped": exchange.answer(#"{"name": "a"}"#, headers: [:])
        case "/xml": exchange.answer("<a>", headers: ["Content-Type": "Application/Atom+XML; charset=utf-8"])
        default: exchange.answer(#"{"name": "a"}"#)
        }
    })

    private var service: WebService { .test(source) }

    private func reason(_ task: ServiceTask) async -> ServiceError.Reason? {
        guard case .failure(let error) = await task.result else { return nil }
        return error.reason
    }

    @Test("A closure's types say what it takes and gives")
    func inferred() async throws {
        var service = service
        service.configureTransformer("/user") { (entity: Entity<JSON>) in
            Model(name: entity.content["name"].string ?? "?")
        }
        #expect(try await service.GET("/user").content(as: Model.self) == Model(name: "a"))
    }

    @Test("A transformer takes the place of those in its stage, or is appended, for the methods named")
    func actions() async throws {
        var service = service
        service.configureTransformer("/text") { (entity: Entity<String>) in entity.content + "1" }
        service.configureTransformer("/text") { (entity: Entity<String>) in entity.content + "2" }
        service.configureTransformer("/text", action: .appendToExisting) { (entity: Entity<String>) in
            entity.content + "3"
        }
        service.configureTransformer("/text", methods: [.PUT]) { (entity: Entity<String>) in
            entity.content + "4"
        }
        #expect(try await service.GET("/text").content(as: String.self) == "hello23")
        #expect(try await service.PUT("/text").content(as: String.self) == "hello4")
    }

    @Test(
        "A Decodable model and a decoding are one line, whatever the content type",
        arguments: ["/user", "/untyped"])
    func decoding(path: String) async throws {
        var service = service
        service.configureTransformer("/**", methods: [.GET], decoding: Model.self)
        service.configureTransformer("/**", methods: [.PUT], decoding: .field("name", .string))
        let path = Request.Path(path)
        #expect(try await service.GET(path).content(as: Model.self) == Model(name: "a"))
        #expect(try await service.GET(path).decoded(as: Model.self) == Model(name: "a"))
        #expect(try await service.PUT(path).content(as: String.self) == "a")
    }

    @Test("What a model can't be made of ends in one clear error")
    func undecodable() async {
        var service = service
        service.configureTransformer(decoding: [Int].self)
        #expect(await reason(service.GET("/user")) == .undecodable)
        #expect(await reason(service.GET("/text")) == .unparsable)
        #expect(await reason(service.GET("/empty")) == .emptyBody)
        service.configureTransformer(decoding: .field("none", .string))
        #expect(await reason(service.GET("/user")) == .undecodable)
    }

    @Test("Content of another type is an error, is skipped, or is skipped if it is the output already")
    func mismatch() async throws {
        let mismatch = ServiceError.Reason.contentMismatch(expected: "JSON", actual: "String")
        for (action, expected) in [
            (InputTypeMismatchAction.error, mismatch), (.skip, nil), (.skipIfOutputTypeMatches, mismatch),
        ] {
            var service = service
            service.configureTransformer(onInputTypeMismatch: action) { (entity: Entity<JSON>) in
                entity.content.count
            }
            #expect(await reason(service.GET("/text")) == expected)
        }
        var service = service
        service.configureTransformer(onInputTypeMismatch: .skipIfOutputTypeMatches) {
            (entity: Entity<JSON>) in
            entity.content.description
        }
        #expect(try await service.GET("/text").content(as: String.self) == "hello")
    }

    @Test("Nil is noOutput; what a closure throws is the error")
    func failures() async {
        var service = service
        service.configureTransformer("/nil") { (_: Entity<JSON>) -> String? in nil }
        service.configureTransformer("/thrown") { (_: Entity<JSON>) -> String? in throw AppError(code: 3) }
        service.configureTransformer("/own") { (_: Entity<JSON>) -> String? in
            throw ServiceError(.invalidResponse, userMessage: "Not like this.")
        }
        #expect(await reason(service.GET("/nil")) == .noOutput)
        guard case .failure(let thrown) = await service.GET("/thrown").result else {
            Issue.record("no failure")
            return
        }
        #expect(thrown.reason == .thrown && thrown.underlying as? AppError == AppError(code: 3))
        #expect(
            thrown.json["name"] == "a" && thrown.statusCode == 200
                && thrown.request?.urlString.hasSuffix("/thrown") == true)
        guard case .failure(let own) = await service.GET("/own").result else {
            Issue.record("no failure")
            return
        }
        #expect(own.reason == .invalidResponse && own.userMessage == "Not like this.")
    }

    @Test(
        "A content type pattern's star stops at / and +; case and parameters are ignored",
        arguments: [
            ("application/atom+xml", true), ("*/*+xml", true), ("*/*", false), ("application/*", false),
            ("*/atom+xml", true), ("APPLICATION/Atom+Xml; q=1", true), ("application/xml", false),
            ("*", false), ("**", false), ("application/**", false), ("a*/a*m+x*l", true), ("**/**+**", true),
            ("", false), ("application/atom+xml*", true),
        ])
    func contentTypes(pattern: String, matches: Bool) async throws {
        var service = service
        service.configure {
            $0.pipeline[.parsing].add(Footprint("matched"), contentTypes: ["no/no", pattern])
        }
        let content = try await service.GET("/xml").result.get().content
        #expect((content as? String == "matched ") == matches)
    }

    @Test("A standard parser takes the content types that it is added for")
    func standardForOthers() async throws {
        let source = ManualDataSource(answersInResume: {
            $0.answer("{}", headers: ["Content-Type": "application/x-mine"])
        })
        var service = WebService.test(source)
        service.configure { $0.pipeline[.parsing].add(.json, contentTypes: ["application/x-mine"]) }
        #expect(try await service.GET("/").content(as: JSON.self) == [:])
    }

    @Test(
        "What an app adds for content types goes before the standard parsers of its stage, in the order added"
    )
    func beforeStandard() async throws {
        let source = ManualDataSource(answersInResume: {
            $0.answer("{}", headers: ["Content-Type": $0.request.url?.query() ?? ""])
        })
        var service = WebService.test(source)
        service.configure { configuration in
            configuration.pipeline[.parsing].add(
                ResponseContentTransformer { (entity: Entity<Data>) in entity.content.count },
                contentTypes: ["*/xml", "*/*+xml"])
            configuration.pipeline[.parsing].add(.json, contentTypes: ["text/plain"])
            configuration.pipeline[.parsing].add(Footprint("after"), contentTypes: ["text/footprint"])
            configuration.pipeline[.parsing].add(Footprint("second"), contentTypes: ["text/footprint"])
        }
        #expect(try await service.GET("/?text/xml").content(as: Int.self) == 2)
        #expect(try await service.GET("/?text/plain").content(as: JSON.self) == [:])
        #expect(try await service.GET("/?text/footprint").content(as: String.self) == "after second ")
        #expect(try await service.GET("/?text/html").content(as: String.self) == "{}")
    }

    @Test("A response without a content type matches no pattern")
    func noContentType() async throws {
        var service = service
        service.configure { $0.pipeline[.parsing].add(Footprint("x"), contentTypes: ["*/*", "*"]) }
        #expect(try await service.GET("/untyped").result.get().content is Data)
    }

    @Test("Standard parsers leave alone what isn't bytes any more")
    func standardAfterOthers() async throws {
        var service = service
        service.configure { $0.pipeline[.rawData].add(Footprint("mine")) }
        #expect(try await service.GET("/user").content(as: String.self) == "mine ")
    }

    @Test(
        "Text is read by its charset on an eager pipeline too",
        arguments: [
            ("text/plain; charset=utf-16", Data([0xFE, 0xFF, 0x00, 0xE9]), "é"),
            ("text/plain; charset=utf-16le", Data([0xE9, 0x00]), "é"),
            ("text/plain; charset=iso-8859-1", Data([0xE9]), "é"),
            ("text/plain; charset=windows-1252", Data([0x80]), "€"),
            ("text/html; charset=iso-8859-15", Data([0xA4]), "€"),
            ("text/html; charset=\"gbk\"", Data([0xBA, 0xBA]), "汉"),
            ("text/html; charset='koi8-r'", Data([0xD2]), "р"),
            ("text/plain; charset=shift_jis", Data([0x82, 0xA0]), "あ"),
            ("text/plain", Data([0xEF, 0xBB, 0xBF, 0x61]), "a"),
            ("text/plain", Data([0xE9]), "é"),
            ("text/plain; charset=klingon", Data([0x61]), nil),
            ("text/plain; charset=utf-8", Data([0xE9]), nil),
        ])
    func charsets(type: String, bytes: Data, text: String?) async throws {
        let source = ManualDataSource(answersInResume: { exchange in
            exchange.complete(data: bytes, response: exchange.response(headers: ["Content-Type": type]))
        })
        var service = WebService.test(source)
        service.configureTransformer { (entity: Entity<String>) in "<\(entity.content)>" }
        let task = service.GET("/")
        if let text {
            #expect(try await task.content(as: String.self) == "<\(text)>")
            #expect(try await task.text == "<\(text)>")
        } else {
            #expect(await reason(task) == .unparsable)
        }
    }
}
