import Foundation
import LoopbackServer
import SwallowTesting
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Resumed downloads")
struct DownloadResumeTests: Downloading {
    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    @Test("A partial file is resumed until it is complete")
    func resuming() async throws {
        let server = server(cutting: [100_000, 50_000])
        for _ in 0..<2 {
            let error = await download(server).failure
            #expect(error?.code == .networkConnectionLost)
            #expect(written == nil)
            #expect(folder.names == remainder)
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

    @Test("A download without an entity tag resumes if it has a strong Last-Modified date")
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

    @Test("A download without a strong validator leaves no partial file", arguments: [nil, "W/\"v1\""])
    func weak(tag: String?) async throws {
        let server = server(cutting: [1000], fields: tag.map { ["ETag": $0] } ?? [:])
        _ = await download(server)
        #expect(folder.names == [])
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, nil])
        #expect(written == Self.content)
    }

    @Test(
        "A file that has changed on the server is downloaded from the start",
        arguments: ["\"v2\"", "W/\"v1\"", nil])
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

    private static func part(_ range: String, _ tag: String = "\"v1\"") -> Answer {
        Answer(status: 206, fields: ["ETag": tag, "Content-Range": range], body: content.dropFirst(999))
    }

    @Test(
        "If a response doesn't continue the partial file, the complete file is requested",
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

    @Test("A partial file that is complete but was never renamed costs a request for one byte")
    func complete() async throws {
        let server = server { request in
            .ranged(Self.content, to: request, fields: Self.tag)
        }
        _ = await download(server)
        #expect(folder.names == remainder)
        try FileManager.default.removeItem(at: folder.file("target.bin.swallow-part"))
        try Self.content.write(to: folder.file("target.bin.swallow-part"))
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=299999-"])
        #expect(written == Self.content)
    }

    @Test("If a range is shorter than requested, the next download continues after it")
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

    @Test("A handler of a cancelled download can resume the download immediately")
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

    /// Returns a download whose first two transfers lose their connection, after the delay before each retry.
    private func retrying(_ server: ServerSource, resumes: Bool) async -> ServiceTask {
        let clock = WaitingClock()
        var service = service(server)
        service.clock = clock
        // This policy has its own budget, because the whole process shares the budget of `.standard`.
        let options: [Request.Option] = [.download(to: target, resumes: resumes), .retry(RetryPolicy())]
        let task = service.GET("/file", options: options)
        for count in 1...2 {
            // The second delay may begin and end while this loop still advances the clock for the first one.
            await clock.waiting(count)
            clock.advance(by: .seconds(20))
        }
        return task
    }

    @Test(
        "A retry resumes after the bytes of the transfer that lost its connection",
        arguments: [true, false])
    func retried(resumes: Bool) async throws {
        let server = server(cutting: [100_000, 50_000])
        let task = await retrying(server, resumes: resumes)
        #expect(try await task.content(as: URL.self) == target)
        #expect(written == Self.content)
        #expect(folder.names == ["target.bin"])
        #expect(
            server.requests.map { $0.value(forHTTPHeaderField: "Range") } == [
                nil, "bytes=99999-", "bytes=149998-",
            ])
    }

    @Test(
        "A download fails if the retry policy allows no more retries, and the error has the number of attempts"
    )
    func givenUp() async throws {
        let server = server(cutting: [100_000, 50_000, 50_000])
        let task = await retrying(server, resumes: false)
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.attempts == 3)
        #expect(folder.names == [])
    }

    /// Two servers. One redirects to a location that the test sets. The other one's files have the same tag.
    private func redirecting(
        to location: Lock<String>, _ contents: [String: Data]
    ) throws -> (home: LoopbackServer, store: LoopbackServer) {
        let store = try LoopbackServer { request in
            let content = contents[request.path] ?? Data()
            let answer = LoopbackServer.Response.ranged(content, to: request, fields: [("ETag", "\"v1\"")])
            return .respond(request.header("Range") == nil ? answer.truncated(after: 100_000) : answer)
        }
        let home = try LoopbackServer { [base = store.baseURLString] _ in
            .respond(.redirect(to: base + location.withLock { $0 }))
        }
        return (home, store)
    }

    private func download(_ server: LoopbackServer) async -> Result<Entity<any Sendable>, ServiceError> {
        await service(server).GET("/latest", options: [.download(to: target, resumes: true)]).result
    }

    @Test("A partial file resumes at the redirect's target, even if its query has changed, and only there")
    func redirected() async throws {
        let location = Lock("/file?signature=1")
        let (home, store) = try redirecting(to: location, ["/file": Self.content])
        #expect(await download(home).failure != nil)
        location.withLock { $0 = "/file?signature=2" }
        _ = try await download(home).get()
        #expect(written == Self.content)
        #expect(home.requests.map { $0.header("Range") } == [nil, nil])
        #expect(home.requests.map { $0.header("If-Range") } == [nil, nil])
        #expect(store.requests.map { $0.header("Range") } == [nil, "bytes=99999-"])
        #expect(store.requests.map { $0.header("If-Range") } == [nil, "\"v1\""])
    }

    @Test(
        "If the redirect leads to another path, the complete file is downloaded, even if the tag is the same"
    )
    func redirectMoved() async throws {
        let location = Lock("/file")
        let other = Data(Self.content.reversed().prefix(100_000))
        let (home, store) = try redirecting(to: location, ["/file": Self.content, "/other": other])
        #expect(await download(home).failure != nil)
        location.withLock { $0 = "/other" }
        _ = try await download(home).get()
        #expect(written == other)
        #expect(store.requests.map { $0.header("Range") } == [nil, nil])
    }

    @Test("If a URL that had no redirect now redirects, the complete file is downloaded")
    func nowRedirected() async throws {
        let isMoved = Lock(false)
        let content = LoopbackServer.octets(100_000)
        let server = try LoopbackServer { request in
            if request.path == "/other" {
                return .respond(.ranged(content, to: request, fields: [("ETag", "\"v1\"")]))
            }
            if isMoved.withLock({ $0 }) { return .respond(.redirect(to: "/other")) }
            let answer = LoopbackServer.Response.ranged(
                Self.content, to: request, fields: [("ETag", "\"v1\"")])
            return .respond(answer.truncated(after: 50_000))
        }
        #expect(await download(server).failure != nil)
        isMoved.withLock { $0 = true }
        _ = try await download(server).get()
        #expect(written == content)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=49999-", nil])
    }
}
