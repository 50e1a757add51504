import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(os)
    import os
#endif

struct Store: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}

extension WebService {
    static let stores = WebService(baseURLString: "https://api.example.com/v1")

    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }
}

extension WebService {
    fileprivate func nearStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode, "radius": 10, "open": true])
    }
}

enum Chart: String, RequestPathConvertible {
    case top, new
    var requestPath: Request.Path { "/charts/\(rawValue)" }
}

extension ServiceTask {
    @discardableResult
    func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self { responseDecoded(handler) }
}

@MainActor
final class StoreList {
    let service: WebService
    let tasks = TaskBag()
    var stores = JSON.missing

    init(service: WebService) { self.service = service }

    func load() {
        service.GET("/stores").responseJSON { [weak self] json in self?.stores = json }.add(to: tasks)
    }
}

private struct Coordinate {
    let latitude, longitude: Double
}

enum Order: String, ParameterConvertible { case distance, name }

extension Coordinate: ParameterConvertible {
    var parameterValue: ParameterValue { "\(latitude),\(longitude)".parameterValue }
}

enum Feed: String, PathSegmentConvertible { case top, new }

@MainActor
@Suite("The reference's endpoints")
final class EndpointReference {
    private let stub = StubDataSource()
    private var service = WebService.stores
    private var stores: [Store] = []
    private var nearest: Store?
    private var message = ""
    private var map: URL?

    init() {
        service.dataSource = stub
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
    }

    @Test("have paths of an app's own type")
    func ownPaths() {
        let stub = StubDataSource().stub(.json([]))
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        service.GET(Chart.top)
        #expect(service.GET(Chart.new).request.urlString == "https://api.example.com/v1/charts/new")
    }

    @Test("have handlers in a chain")
    func chain() async throws {
        service.GET("/stores", parameters: ["zip": "15217"])
            .responseDecoded(as: [Store].self) { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
        let task =
            service.searchStores(zipCode: "15217")
            .transform { (stores: [Store]) in stores.first }
            .responseContent { (nearest: Store) in self.nearest = nearest }
        _ = await task.result
        #expect(nearest?.id == 41 && message.isEmpty)
        let list = StoreList(service: service)
        list.load()
        _ = await service.nearStores(zipCode: "15217").responseAsStores { self.stores = $0 }.result
        #expect(list.stores[0]["id"] == 41 && stores.count == 1)
        #expect(stub.request(3).query("radius") == "10")
    }

    @Test("recover from failures, and report them")
    func failures() async throws {
        stub.stub(.GET, "/stores", .status(404)).stub(.GET, "/stores/41", .status(404))
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/stores"]))
        let recovered =
            service.searchStores(zipCode: "15217")
            .recover { error in
                guard error.isNotFound else { throw error }
                return [Store]()
            }
            .responseDecoded { (stores: [Store]) in self.stores = stores }
        #expect(try await recovered.decoded(as: [Store].self) == [])
        let error = await service.GET("/stores/41").error
        #expect(error?.isNotFound == true)
        let moved =
            service.GET(
                "/moved", options: [.redirects(.doNotFollow), .acceptableStatusCodes(200..<400)])
        #expect(try await moved.result.get().statusCode == 302)
    }

    @Test("sleep on the service's clock")
    func sleep() async throws {
        let clock = ManualClock()
        service.clock = clock
        let service = service
        let sleeper = Task {
            try await service.clock.sleep(for: .seconds(2))
        }
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(2))
        try await sleeper.value
    }

    @Test("are configured by patterns")
    func configuration() async throws {
        let password = "word"
        let id = 7
        service.configure("/users/*") { $0.headers["X-Part"] = "users" }
        service.configure("/users/\(id)/**") { $0.headers["X-Part"] = "me" }
        service.configure(.matching { $0.path.hasSuffix(".xml") }) { $0.timeout = .seconds(5) }
        service.configure { $0.retry = .standard }
        service.configure { $0.authenticator = .basic("ann", password) }
        service.configure { configuration in
            configuration.adaptRequest { request in
                request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            }
        }
        _ = try await service.GET("/stores").data
        #expect(stub.request(0)[.authorization]?.hasPrefix("Basic ") == true)
        #expect(stub.request(0)["X-Request-ID"]?.count == 36)
    }

    @Test("take values of an app's own")
    func values() async throws {
        let name = "../admin"
        let path: Request.Path = "/users/\(name)/repos"
        #expect(path.description == "/users/..%2Fadmin/repos")
        stub.stub(.GET, "/top", .json([]))
        let here = Coordinate(latitude: 40.4, longitude: -79.9)
        _ = try await service.GET("/\(Feed.top)", parameters: ["order": Order.name, "near": here]).data
        #expect(stub.request(0).query("order") == "name")
        #expect(stub.request(0).query("near") == "40.4,-79.9")
    }

    @Test("write logs, of what went wrong here")
    func logs() async {
        stub.stub(.GET, "/lost", .status(404))
        let monitor = Recorder<String>()
        service.log = .standardError(.debug)
        service.log = .timeline()
        service.log = .standardError(.info)
        service.log = { event in
            if event.level >= .error { monitor.append(event.description) }
        }
        service.GET("/lost")
        #expect(await monitor.first(1)[0].contains("404"))
        #if canImport(os)
            service.log = .logger(Logger(subsystem: "com.example.app", category: "network"))
        #endif
        service.log = nil
        service.logRedaction = .standard.adding(["X-Device", "pin"])
    }

    @Test("send and fetch files")
    func files() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (film, poster) = (folder.appending(path: "film.mp4"), folder.appending(path: "poster.png"))
        try Data("film".utf8).write(to: film)
        try Data("poster".utf8).write(to: poster)
        stub.stub(.PUT, "/films/7", .status(204)).stub(.POST, "/films", .status(201))
        stub.stub(.GET, "/map.pdf", .data(Data("map".utf8))).stub(.GET, "/report", .json([]))
        stub.stub(.GET, "/export", .text("abc"))
        service.PUT("/films/7", options: [.body(file: film, contentType: "video/mp4")])
        let form = Request.Option.multipart { form in
            form.append("Gate", named: "title")
            form.append(file: poster, named: "poster")
        }
        service.POST("/films", options: [form])
        let file = folder.appending(path: "map.pdf")
        let download = service.GET("/map.pdf", options: [.download(to: file)])
            .responseFile { file in self.map = file }
        _ = await download.result
        #expect(map == file)
        service.GET("/report", options: [.retry(.never)])
        try await export(to: folder.appending(path: "export"))
    }

    private func export(to url: URL) async throws {
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        for try await part in service.GET("/export").body { try file.write(contentsOf: part) }
        #expect(try Data(contentsOf: url) == Data("abc".utf8))
    }

    @Test("bring events")
    func events() async throws {
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let feed = Data("data: 1\n\n".utf8)
        stub.stub(.POST, "/chat", .data(feed, contentType: "text/event-stream"))
        let feeds = [StubResponse.data(feed, contentType: "text/event-stream"), .status(204)]
        stub.stub(.GET, "/feed", .sequence(feeds))
        let clock = ManualClock()
        service.clock = clock
        let question: Parameters = ["q": "why"]
        for try await event in service.POST("/chat", parameters: question).events { show(event.data) }
        let advancing = Task {
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(10))
        }
        for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
        try await advancing.value
        #expect(shown == ["1", "1"])
    }
}
