import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML  // for XMLParser, on Linux
#endif

struct ErrorMessage: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.mapError { error in
            var error = error
            if let message = error.json["message"].string { error.userMessage = message }
            return error
        }
    }
}

extension PipelineStageKey {
    static let decryption = PipelineStageKey(description: "decryption")
}

struct Menu: Equatable, Sendable {
    let dishes: [String]

    init(xml: Data) throws {
        let reader = MenuReader()
        let parser = XMLParser(data: xml)
        parser.delegate = reader
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
        dishes = reader.dishes
    }
}

final class MenuReader: NSObject, XMLParserDelegate {
    var dishes: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if name == "dish", let dish = attributes["name"] { dishes.append(dish) }
    }
}

/// Stands in for an app's encryption. It inverts each bit.
struct Vault: Sendable {
    func open(_ data: Data) throws -> Data { Data(data.map { ~$0 }) }
}

@MainActor
@Suite("The README's pipelines")
final class PipelineSamples {
    private let stub = StubDataSource()
    private var athlete: Athlete?
    private let names = Recorder<String>()

    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    private func log(_ name: String) { names.append(name) }

    @Test("make models, by path and content type")
    func models() async throws {
        stub.stub(
            .GET, "/users/*", .json(["name": "Ann", "sports": ["judo"], "address": ["city": "Rome"]]))
        stub.stub(.GET, "/motd", .text("hello"))
        stub.stub(
            .GET, "/menu", .text(#"<menu><dish name="soup"/></menu>"#, headers: ["Content-Type": "text/xml"]))
        var service = service
        service.configureTransformer("/users/*", decoding: .athlete)
        service.configureTransformer("/motd") { (entity: Entity<String>) in entity.content.uppercased() }
        service.configure("/menu") { configuration in
            configuration.pipeline[.parsing].add(
                ResponseContentTransformer { (entity: Entity<Data>) in try Menu(xml: entity.content) },
                contentTypes: ["*/xml", "*/*+xml"])
        }
        service.GET("/users/7")
            .responseContent(as: Athlete.self) { athlete in self.athlete = athlete }
            .responseJSON { json in self.log(json["name"].string ?? "?") }  // the body is already parsed
        #expect(await names.first(1) == ["Ann"])
        #expect(athlete?.city == "Rome")
        #expect(try await service.GET("/motd").content(as: String.self) == "HELLO")
        #expect(try await service.GET("/menu").content(as: Menu.self).dishes == ["soup"])
    }

    @Test("give the server's words to the user")
    func errorMessage() async {
        stub.stub(.GET, "/users/*", .json(["message": "No such user."], status: 404))
        var service = service
        service.configure { $0.pipeline[.cleanup].add(ErrorMessage()) }
        await #expect { try await service.GET("/users/7").json } throws: { error in
            (error as? ServiceError)?.userMessage == "No such user."
        }
    }

    @Test("have stages of the app's own")
    func customStage() async throws {
        let vault = Vault()
        let secret = try vault.open(Data(#"{"code": 7}"#.utf8))
        stub.stub(.GET, "/vault/**", .data(secret, contentType: "application/json"))
        var service = service
        service.configure("/vault/**") { configuration in
            configuration.pipeline.order.insert(.decryption, at: 0)
            configuration.pipeline[.decryption].add(
                ResponseContentTransformer { (entity: Entity<Data>) in try vault.open(entity.content) })
        }
        #expect(try await service.GET("/vault/code").json["code"].int == 7)
    }

    @Test("keep what they made for when the network is gone")
    func caches() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        stub.stub(
            .GET, "/stores/41",
            .sequence([.json(["name": "Squirrel Hill"]), .failure(URLError(.notConnectedToInternet))]))
        var service = service
        service.configure("/stores**") { configuration in
            configuration.cachePolicy = .standard
            configuration.pipeline[.parsing].cacheUsing(MemoryCache())
            configuration.pipeline[.rawData].cacheUsing(DiskCache(folder: folder))
        }
        service.configure("/stores**") { $0.ignoresServerCacheRules = true }
        service.log = .standardError(.info)
        service.logRedaction = .standard.adding(["X-Device", "pin"])
        service.log = nil
        #expect(try await !service.GET("/stores/41").result.get().isFromCache)
        let entity = try await service.GET("/stores/41").result.get()
        print(entity.isFromCache ? "from \(entity.timestamp)" : "fresh")
        #expect(entity.isFromCache && entity.json["name"] == "Squirrel Hill")
        service.wipeCaches("/account**")
        #expect(try await service.GET("/stores/41").result.get().isFromCache)
        service.wipeCaches()
        await #expect(throws: ServiceError.self) { try await service.GET("/stores/41").result.get() }
    }
}
