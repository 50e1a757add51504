import Foundation
import LoopbackServer
import SwallowTesting
import Testing
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Downloads")
struct DownloadTests {
    private let folder: TemporaryFolder
    private let target: URL
    private static let content = LoopbackServer.octets(300_000)
    private static let tag = ["ETag": "\"v1\""]

    init() throws {
        folder = TemporaryFolder()
        target = folder.file("target.bin")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    private func service(_ server: LoopbackServer) -> WebService {
        .test(WebService.standardDataSource, base: server.baseURLString)
    }

    private func service(_ server: ServerSource) -> WebService { .test(server) }

    private func download(
        _ server: ServerSource, resumes: Bool = true, options: [Request.Option] = []
    ) async -> Result<Entity<any Sendable>, ServiceError> {
        let option = Request.Option.download(to: target, resumes: resumes)
        return await service(server).GET("/file", options: options + [option]).result
    }

    /// Whether the folder soon has these files: a part is left, or removed, on a queue of the download's.
    private func settles(_ names: [String]) async -> Bool {
        for _ in 0..<3000 {
            if folder.names == names { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private var written: Data? { try? Data(contentsOf: target) }

    /// A server whose first answers are cut off after so many bytes.
    private func server(
        cutting cuts: [Int] = [], fields: [String: String] = tag, content: Data = content
    ) -> ServerSource {
        let cuts = Lock(cuts)
        return ServerSource { request in
            let answer = Answer.ranged(content, to: request, fields: fields)
            let cut = cuts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return cut.map { answer.truncated(after: $0) } ?? answer
        }
    }

    @Test("A retry continues what a transfer has brought that broke off", arguments: [true, false])
    func retried(resumes: Bool) async throws {
        let server = server(cutting: [100_000, 50_000])
        let clock = ManualClock()
        var service = service(server)
        service.clock = clock
        let options: [Request.Option] = [.download(to: target, resumes: resumes), .retry(.standard)]
        let task = service.GET("/file", options: options)
        for _ in 0..<2 {
            while clock.pending == 0, task.state == .running { await Task.yield() }
            clock.advance(by: .seconds(20))
        }
        #expect(try await task.content(as: URL.self) == target)
        #expect(written == Self.content)
        #expect(folder.names == ["target.bin"])
        #expect(
            server.requests.map { $0.value(forHTTPHeaderField: "Range") } == [
                nil, "bytes=99999-", "bytes=149998-",
            ])
    }

    @Test("A retry gives up where the policy does, and the error says how often it tried")
    func givenUp() async throws {
        let server = server(cutting: [100_000, 50_000, 50_000])
        let clock = ManualClock()
        var service = service(server)
        service.clock = clock
        let task = service.GET("/file", options: [.download(to: target), .retry(.standard)])
        for _ in 0..<2 {
            while clock.pending == 0, task.state == .running { await Task.yield() }
            clock.advance(by: .seconds(20))
        }
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.attempts == 3)
        #expect(await settles([]))
    }

    @Test("A download gives its target, with the bytes, and leaves nothing else", arguments: [true, false])
    func whole(resumes: Bool) async throws {
        let server = server()
        let files = Recorder<URL>()
        let task = service(server).GET("/file", options: [.download(to: target, resumes: resumes)])
            .responseFile(.utility) { files.append($0) }
        #expect(try await task.content(as: URL.self) == target)
        #expect(files.values == [target])
        #expect(written == Self.content)
        #expect(folder.names == ["target.bin"])
        let head = try await task.response.head
        #expect(head.statusCode == 200)
    }

    @Test("Handlers of content read the file, once they are asked for it")
    func reading() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/json", options: [.download(to: target)])
        #expect(try await task.json["name"].string == "Swallow")
        #expect(try await task.text.hasPrefix("{\"id\""))
        #expect(try await task.data == written)
        struct Small: Decodable { let id: Int }
        #expect(try await task.decoded(as: Small.self).id == 1)
        #expect(try await task.content(as: URL.self) == target)
        try FileManager.default.removeItem(at: target)
        // It is in memory now.
        #expect(try await task.json["id"].int == 1)
    }

    @Test("A file that is gone when it is read is an error of the chain's")
    func gone() async throws {
        let server = server()
        let task = service(server).GET("/file", options: [.download(to: target)])
        _ = await task.result
        try FileManager.default.removeItem(at: target)
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.code == .cannotOpenFile)
    }

    @Test("A file that is larger than what is kept in memory is not read")
    func tooLarge() throws {
        try Data(count: 11).write(to: target)
        let head = try head(200)
        let entity = Entity<any Sendable>(content: target, response: head)
        let body = FileBody(head: head, entity: entity, url: target)
        #expect(try body.read(limit: 11).data().count == 11)
        let error = #expect(throws: ServiceError.self) { try body.read(limit: 10).data() }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }

    @Test("A part that stayed behind is continued, until it is whole")
    func resuming() async throws {
        let server = server(cutting: [100_000, 50_000])
        for _ in 0..<2 {
            let error = await download(server).failure
            #expect(error?.code == .networkConnectionLost)
            #expect(written == nil)
            #expect(await settles(["target.bin.swallow-part", "target.bin.swallow-record"]))
        }
        let entity = try await download(server).get()
        #expect(entity.statusCode == 206)
        #expect(written == Self.content)
        #expect(folder.names == ["target.bin"])
        let ranges = server.requests.map { $0.header("Range") }
        #expect(ranges == [nil, "bytes=99999-", "bytes=149998-"])
        #expect(server.requests.map { $0.header("If-Range") } == [nil, "\"v1\"", "\"v1\""])
        #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
    }

    @Test("By the date of its last change, too, where there is no entity tag")
    func dates() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let server = server(
            cutting: [1000],
            fields: ["Last-Modified": date, "Date": "Mon, 07 Nov 1994 08:49:37 GMT"])
        _ = await download(server)
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("If-Range") } == [nil, date])
        #expect(written == Self.content)
    }

    @Test("Without a strong validator, nothing stays behind", arguments: [nil, "W/\"v1\""])
    func weak(tag: String?) async throws {
        let server = server(cutting: [1000], fields: tag.map { ["ETag": $0] } ?? [:])
        _ = await download(server)
        #expect(await settles([]))
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, nil])
        #expect(written == Self.content)
    }

    @Test("Without resumes, nothing stays behind of a download that fails")
    func failing() async throws {
        try Data("old".utf8).write(to: target)
        let server = server(cutting: [100_000])
        #expect(await download(server, resumes: false).failure != nil)
        #expect(written == Data("old".utf8))
        #expect(await settles(["target.bin"]))
    }

    @Test("What has changed since begins anew", arguments: ["\"v2\"", "W/\"v1\"", nil])
    func changed(tag: String?) async throws {
        let isFirst = Lock(true)
        let content = LoopbackServer.octets(500)
        let server = ServerSource { request in
            if isFirst.withLock({ $0.exchange(for: false) }) {
                return .ranged(Self.content, to: request, fields: Self.tag).truncated(after: 200_000)
            }
            return .ranged(content, to: request, fields: tag.map { ["ETag": $0] } ?? [:])
        }
        _ = await download(server)
        _ = try await download(server).get()
        #expect(written == content)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=199999-"])
    }

    /// A server that sends the first 1000 bytes, and answers anything but a request for the whole with this.
    private func server(_ answer: @escaping @Sendable (URLRequest) -> Answer) -> ServerSource {
        let isFirst = Lock(true)
        return ServerSource { request in
            let whole = Answer.ranged(Self.content, to: request, fields: Self.tag)
            if isFirst.withLock({ $0.exchange(for: false) }) { return whole.truncated(after: 1000) }
            return request.header("Range") == nil ? whole : answer(request)
        }
    }

    private static func part(_ range: String, _ tag: String = "\"v1\"") -> Answer {
        Answer(status: 206, fields: ["ETag": tag, "Content-Range": range], body: content.dropFirst(999))
    }

    @Test(
        "An answer that doesn't continue the part has the whole asked for",
        arguments: [
            part("bytes 998-299998/300000"), part("bytes 999-299999/300001"), part("bytes */300000"),
            part("nonsense"), part("bytes 999-299999/300000", "\"v2\""), .status(416),
            Answer(status: 416, fields: ["Content-Range": "bytes */1000"]),
        ])
    func wrongAnswers(answer: Answer) async throws {
        let server = server { _ in answer }
        _ = await download(server)
        let entity = try await download(server).get()
        #expect(entity.statusCode == 200)
        #expect(written == Self.content)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=999-", nil])
        #expect(server.requests.last?.header("If-Range") == nil)
    }

    @Test("A part that is complete, but was never renamed, costs one byte")
    func complete() async throws {
        let server = server { request in
            .ranged(Self.content, to: request, fields: Self.tag)
        }
        _ = await download(server)
        #expect(await settles(["target.bin.swallow-part", "target.bin.swallow-record"]))
        try FileManager.default.removeItem(at: folder.file("target.bin.swallow-part"))
        try Self.content.write(to: folder.file("target.bin.swallow-part"))
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=299999-"])
        #expect(written == Self.content)
    }

    @Test("A range that ends too early is continued by the next download")
    func shortRanges() async throws {
        let server = server { request in
            var answer = Answer.ranged(Self.content, to: request, fields: Self.tag)
            guard request.header("Range") == "bytes=999-" else { return answer }
            answer.fields["Content-Range"] = "bytes 999-1998/300000"
            answer.body = Self.content.dropFirst(999).prefix(1000)
            return answer
        }
        _ = await download(server)
        #expect(await download(server).failure?.code == .networkConnectionLost)
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=999-", "bytes=1998-"])
        #expect(written == Self.content)
    }

    @Test("An answer that isn't a success leaves the part, and its body is the error's")
    func refused() async throws {
        let server = server { _ in
            Answer(
                status: 503, fields: ["Content-Type": "application/json"],
                body: Data(#"{"message":"no"}"#.utf8))
        }
        _ = await download(server)
        let error = await download(server).failure
        #expect(error?.reason == .unacceptableStatus)
        #expect(error?.json["message"].string == "no")
        #expect(await settles(["target.bin.swallow-part", "target.bin.swallow-record"]))
        #expect(await download(server, options: [.acceptContentTypes(["image/*"])]).failure != nil)
        #expect(await settles(["target.bin.swallow-part", "target.bin.swallow-record"]))
    }

    @Test(
        "A second task on a part that is being written is .invalidRequest; without resumes, the last one wins"
    )
    func twoDownloads() async throws {
        let source = StreamingDataSource()
        let service = WebService.test(source)
        func download(_ resumes: Bool) -> ServiceTask {
            service.GET("/file", options: [.download(to: target, resumes: resumes)])
        }
        let first = download(true)
        let firstExchange = await source.exchange(0)
        #expect(await download(true).result.failure?.reason == .invalidRequest)
        let second = download(false)
        let secondExchange = await source.exchange(1)
        firstExchange.answer("first")
        #expect(try await first.content(as: URL.self) == target)
        #expect(written == Data("first".utf8))
        secondExchange.answer("second")
        #expect(try await second.content(as: URL.self) == target)
        #expect(written == Data("second".utf8))
        #expect(await settles(["target.bin"]))
    }

    @Test("A download that was cancelled can be continued at once, by its own handler, too")
    func cancelling() async throws {
        let source = StreamingDataSource()
        let service = WebService.test(source)
        let option = Request.Option.download(to: target, resumes: true)
        let isAgain = Event()
        let first = service.GET("/file", options: [option]).responseCompleted(.utility) { _ in
            service.GET("/file", options: [option]).responseFile(.utility) { _ in isAgain.happen() }
        }
        let exchange = await source.exchange
        exchange.head(headers: Self.tag)
        exchange.send("0123456789")
        await exchange.delivered()
        first.cancel()
        let next = await source.exchange(1)
        #expect(next.request.header("Range") == "bytes=9-")
        next.head(206, headers: ["ETag": "\"v1\"", "Content-Range": "bytes 9-10/11"])
        next.send("9A")
        next.end()
        await isAgain.wait()
        #expect(written == Data("0123456789A".utf8))
    }

    @Test("A body that can't be written fails the task, and ends the transfer")
    func failedWrites() async throws {
        let source = StreamingDataSource()
        let task = WebService.test(source).GET("/file", options: [.download(to: target, resumes: true)])
        let exchange = await source.exchange
        // In the record's place, where no file can be made.
        let record = folder.file("target.bin.swallow-record")
        try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
        exchange.head(headers: Self.tag)
        exchange.send("0123456789")
        #expect(await task.result.failure?.code == .cannotWriteToFile)
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
        #expect(written == nil)
    }

    @Test("What comes faster than it is written is held back, and comes whole")
    func backPressure() async throws {
        let content = LoopbackServer.octets(5_000_000)
        let source = ServerSource { .ranged(content, to: $0, fields: Self.tag) }
        _ = try await download(source).get()
        #expect(written == content)
    }

    @Test("Caches have no part in a download")
    func caches() async throws {
        let source = ServerSource { .ranged(Self.content, to: $0, fields: ["Cache-Control": "max-age=60"]) }
        var service = WebService.test(source)
        service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
        _ = try await service.GET("/file").data
        #expect(source.requests.count == 1)
        let options: [Request.Option] = [
            .download(to: target), .entityCaching(.prefer(maxAge: .seconds(60))),
        ]
        let task = service.GET("/file", options: options)
        #expect(try await task.content(as: URL.self) == target)
        #expect(source.requests.count == 2)
        #expect(written == Self.content)
    }

    @Test("An error's body doesn't get to the target, and no part stays")
    func missing() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/status/404", options: [.download(to: target, resumes: true)])
        let error = await task.result.failure
        #expect(error?.isNotFound == true)
        #expect(error?.text == "status 404")
        #expect(written == nil)
    }

    @Test("An empty success makes an empty file", arguments: [200, 204])
    func empty(status: Int) async throws {
        let server = ServerSource { _ in .status(status) }
        _ = try await download(server).get()
        #expect(written == Data())
    }

    @Test("A 304 that is accepted leaves the target as it is")
    func notModified() async throws {
        try Data("old".utf8).write(to: target)
        let server = ServerSource { _ in .status(304) }
        let result = await download(server, resumes: false, options: [.acceptStatusCodes([200, 304])])
        #expect(result.failure == nil)
        #expect(written == Data("old".utf8))
        #expect(await settles(["target.bin"]))
    }

    @Test("What can't be a download is .invalidRequest, and nothing is sent")
    func invalid() async throws {
        let server = server()
        let service = service(server)
        let web = try #require(URL(string: "https://h.example/a"))
        let range = Request.Option.header("Range", "bytes=0-1")
        for task in [
            service.HEAD("/file", options: [.download(to: target)]),
            service.GET("/file", options: [.download(to: folder.url)]),
            service.GET("/file", options: [.download(to: web)]),
            service.POST("/file", options: [.download(to: target, resumes: true)]),
            service.GET("/file", options: [range, .download(to: target, resumes: true)]),
        ] {
            #expect(await task.result.failure?.reason == .invalidRequest)
        }
        #expect(server.requests.isEmpty)
        #expect(await settles([]))
    }

    @Test("A folder that can't be written to is an error before anything is sent")
    func unwritable() async throws {
        let server = server()
        let task = service(server).GET("/file", options: [.download(to: folder.file("none/target.bin"))])
        #expect(await task.result.failure?.code == .cannotCreateFile)
        #expect(server.requests.isEmpty)
    }

    @Test("A request may ask for a range of its own, and gets that")
    func ownRange() async throws {
        let server = server()
        let options: [Request.Option] = [.header("Range", "bytes=299990-")]
        _ = try await download(server, resumes: false, options: options).get()
        #expect(written == Self.content.suffix(10))
    }

    @Test("POST and the like are downloads, too")
    func post() async throws {
        let server = try LoopbackServer()
        let task = service(server).POST("/echo", options: [.json(["a": 1]), .download(to: target)])
        #expect(try await task.json["body"].string == #"{"a":1}"#)
        #expect(try JSON(parsing: #require(written))["method"].string == "POST")
    }

    @Test("What a coding was removed from is whole, and not continued")
    func coded() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/gzip", options: [.download(to: target)])
        #expect(try await task.json["gzipped"].bool == true)
    }

    @Test("Each start of a future is a download of its own")
    func futures() async throws {
        let server = server()
        let target = target
        let future = service(server).future(as: URL.self) {
            $0.GET("/file", options: [.download(to: target)])
        }
        for count in 1...2 {
            #expect(try await future.value == target)
            #expect(server.requests.count == count)
            try FileManager.default.removeItem(at: target)
        }
    }
}

extension Result where Failure == ServiceError {
    fileprivate var failure: ServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Bool {
    /// Takes another value; returns the one that was there.
    fileprivate mutating func exchange(for value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
