import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("The guide's bodies")
struct BodySamples {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("are read as they come")
    func streams() async throws {
        stub.stub(.GET, "/log", .text("a\nb\n")).stub(
            .GET, "/stores.jsonl", .text(#"{"id": 1, "name": "x"}"#))
        stub.stub(.GET, "/export", .parts([Data(count: 10), Data(count: 20)]))
        var stores: [Store] = []
        var size = 0
        func add(_ store: Store) { stores.append(store) }
        for try await line in service.GET("/log").lines { print(line) }
        for try await store in service.GET("/stores.jsonl").elements(as: Store.self) { add(store) }
        for try await part in service.GET("/export").body { size += part.count }
        #expect(stores.map(\.id) == [1] && size == 30)
    }

    @Test("have a head and trailers")
    func head() async throws {
        stub.stub(.GET, "/export", .parts([Data(count: 10), Data(count: 20)]))
        var size = 0
        let task = service.GET("/export")
        let body = task.body
        let type = try await body.head.value(forHTTPHeaderField: "Content-Type")
        for try await part in body { size += part.count }
        let checksum = task.trailers["Checksum"]
        #expect(type == "application/octet-stream" && size == 30 && checksum == nil)
    }

    @Test("have events")
    func events() async throws {
        let feed = Data("data: 1\n\nevent: end\ndata: 2\n\n".utf8)
        stub.stub(.GET, "/feed", .data(feed, contentType: "text/event-stream"))
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        for try await event in service.eventSource({ $0.GET("/feed") }) {
            show(event.data)
            if event.event == "end" { break }
        }
        #expect(shown == ["1", "2"])
    }

    @Test("fill a model with what their events say")
    @MainActor func feed() async {
        let text = "event: news\ndata: {\"id\": 1, \"title\": \"Gate opens\"}\n\n: nothing\n\n"
        let answer = StubResponse.data(Data(text.utf8), contentType: "text/event-stream")
        stub.stub(.GET, "/feed", .sequence([answer, .status(204)]))
        var service = service
        let clock = ManualClock()
        service.clock = clock
        let feed = Feed(service)
        #expect(feed.status == "Reconnecting…")
        let running = Task { await feed.run() }
        while await !clock.run(until: running) {}
        #expect(feed.news.map(\.title) == ["Gate opens"] && feed.status == "Offline" && feed.message.isEmpty)
    }

    @Test("come to a handler part by part, and tell how far they are")
    func handlers() async throws {
        stub.stub(.GET, "/export", .parts([Data(count: 10), Data(count: 20)]))
        let url = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        try Data().write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try FileHandle(forWritingTo: url)
        let streamed =
            service.GET("/export")
            .responseStream(.utility) { part in try file.write(contentsOf: part) }
            .responseError(.utility) { error in print(error.userMessage) }
        _ = await streamed.result
        #expect(try Data(contentsOf: url).count == 30)
        let told =
            service.GET("/export")
            .downloadProgress(.utility) { progress in
                print(progress.received, progress.expectedToReceive ?? 0)
            }
            .response(.utility) { _, data in print(data.count) }
        #expect(try await told.data.count == 30)
    }

    @Test("become files")
    func downloads() async throws {
        stub.stub(.GET, "/film", .data(Data(count: 30)))
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let file = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let download =
            service.GET("/film", options: [.download(to: file, resumes: true), .retry(.standard)])
            .downloadProgress(.utility) { progress in print(progress.received) }
            .responseFile(.utility) { url in print(url.path) }
            .responseError(.utility) { error in print(error.userMessage) }
        #expect(try await download.content(as: URL.self) == file)
        #expect(try Data(contentsOf: file).count == 30)
        let film = try await service.GET("/film", options: [.download(to: file)]).content(as: URL.self)
        #expect(film == file)
        let task = service.GET("/stores", options: [.download(to: file)])
        let stores = try await task.decoded(as: [Store].self)
        #expect(stores.map(\.id) == [41])
        let downloads = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        defer { try? FileManager.default.removeItem(at: downloads) }
        let named = try await service.GET(
            "/film", options: [.download(into: downloads, createsFolders: true)]
        ).content(as: URL.self)
        let temporary = try await service.GET("/film", options: [.temporaryDownload]).content(as: URL.self)
        #expect(named.lastPathComponent == "film")
        try FileManager.default.removeItem(at: temporary)
    }

    @Test("show how far they are, beside an await")
    @MainActor func bars() async throws {
        stub.stub(.GET, "/film", .data(Data(count: 30_000)))
        let file = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let download = Request.Option.download(to: file, resumes: true)
        let task = service.GET("/film", options: [download])
            .downloadProgress(.utility) { progress in
                let done = Int((progress.fraction ?? 0) * 20)
                let rest = String(repeating: "-", count: 20 - done)
                let bar = String(repeating: "#", count: done) + rest
                print("\r[\(bar)] \(progress.received / 1000) KB", terminator: "")
                fflush(nil)  // Needed because the line isn't complete.
            }
        let film = try await task.content(as: URL.self)
        print("\n\(film.path)")
        #expect(film == file)

        let screen = FilmDownload(service, to: file)
        await screen.run()
        #expect(screen.fraction == 1 && screen.message == "\(file.lastPathComponent) is here.")
    }

    @Test("end with the screen that shows how far they are")
    @MainActor func leaving() async throws {
        let gate = Gate()
        stub.stub(.GET, "/film", .data(Data(count: 30)).held(by: gate))
        let file = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        let screen = FilmDownload(service, to: file)
        let shown = Task { await screen.run() }
        try await gate.arrivals()
        shown.cancel()
        await shown.value
        #expect(screen.message.isEmpty)
        // If the first download were still running, the second would receive the response that waits at the gate.
        stub.stub(.GET, "/film", .data(Data(count: 30)))
        await screen.run()
        #expect(screen.message == "\(file.lastPathComponent) is here.")
        try FileManager.default.removeItem(at: file)
    }

    @Test("go on where they broke off")
    func resumption() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        stub.stub(
            .GET, "/film",
            .parts(
                [Data("abcdef".utf8)], headers: ["ETag": "\"1\""],
                failingWith: URLError(.networkConnectionLost)))
        stub.stub(
            .GET, "/film", headers: ["Range": "bytes=5-", "If-Range": "\"1\""],
            .data(
                Data("fghij".utf8), status: 206,
                headers: ["ETag": "\"1\"", "Content-Range": "bytes 5-9/10"]))
        let download: [Request.Option] = [.download(to: file, resumes: true)]
        await #expect(throws: ServiceError.self) { try await service.GET("/film", options: download).data }

        let told = Recorder<TransferProgress>()
        let rest = service.GET("/film", options: download).downloadProgress(.utility) { told.append($0) }
        #expect(try await rest.content(as: URL.self) == file)
        #expect(try Data(contentsOf: file) == Data("abcdefghij".utf8))
        #expect(told.values.last?.received == 10 && stub.requests.count == 2)
    }

    @Test("are sent from files, forms and sequences")
    func uploads() async throws {
        stub.stub(.PUT, "/films/41", .status(204))
        stub.stub(
            .POST, "/echo",
            .dynamic { request in .text(String(decoding: request.httpBody ?? Data(), as: UTF8.self)) })
        let film = FileManager.default.temporaryDirectory.appending(path: "BodySamples-\(UUID()).mp4")
        try Data("a film".utf8).write(to: film)
        defer { try? FileManager.default.removeItem(at: film) }
        let sent =
            service.PUT("/films/41", options: [.body(file: film)])
            .uploadProgress(.utility) { progress in print(progress.sent, progress.expectedToSend ?? 0) }
            .responseError(.utility) { error in print(error.userMessage) }
        _ = try await sent.data
        #expect(stub.request(0).text == "a film")
        let (parts, input) = AsyncStream.makeStream(of: Data.self)
        let task = service.POST("/echo", options: [.body(stream: parts)])
        input.yield(Data("hello".utf8))
        input.finish()
        print(try await task.text)
        #expect(try await task.text == "hello")
    }

    @Test("are forms that report their progress")
    func forms() async throws {
        stub.stub(.POST, "/films", .status(201))
        let film = URL(filePath: #filePath)
        let task = service.POST(
            "/films",
            options: [
                .multipart { form in
                    form.append("Gate", named: "title")
                    form.append(file: film, named: "film")
                    form.append(Data("a poster".utf8), named: "poster", fileName: "poster.png")
                }
            ]
        )
        .uploadProgress(.utility) { progress in print(progress.sent, progress.expectedToSend ?? 0) }
        try await task.finished()
        #expect(stub.request(0).text.contains("a poster"))
    }

    @Test("show how much was sent")
    @MainActor func uploadBar() async throws {
        stub.stub(.PUT, "/films/41", .status(204))
        let screen = FilmUpload(service)
        await screen.run(URL(filePath: #filePath))
        #expect(screen.fraction == 1 && screen.message == "BodySamples.swift is sent.")
    }

    @Test("are sent compressed where that is asked for")
    func compressed() async throws {
        stub.stub(.POST, "/reports", .status(201))
        let report = ["title": "Gate"]
        let sent =
            service.POST("/reports", options: [.json(report), .compressed])
            .responseError(.utility) { error in print(error.userMessage) }
        _ = try await sent.data
        #expect(stub.request(0)["Content-Encoding"] == "gzip")
    }
}
