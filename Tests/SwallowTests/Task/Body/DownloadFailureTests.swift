import Foundation
import LoopbackServer
import SwallowTesting
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Downloads that fail")
struct DownloadFailureTests: Downloading {
    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    @Test("Without resumes, nothing stays behind of a download that fails")
    func failing() async throws {
        try Data("old".utf8).write(to: target)
        let server = server(cutting: [100_000])
        #expect(await download(server, resumes: false).failure != nil)
        #expect(written == Data("old".utf8))
        #expect(folder.names == ["target.bin"])
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
        #expect(folder.names == remainder)
        #expect(await download(server, options: [.acceptableContentTypes(["image/*"])]).failure != nil)
        #expect(folder.names == remainder)
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
        #expect(folder.names == ["target.bin"])
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

    @Test("An error's body doesn't get to the target, and no part stays")
    func missing() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/status/404", options: [.download(to: target, resumes: true)])
        let error = await task.result.failure
        #expect(error?.isNotFound == true)
        #expect(error?.text == "status 404")
        #expect(written == nil)
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
        #expect(folder.names == [])
    }

    @Test("A folder that can't be written to is an error before anything is sent")
    func unwritable() async throws {
        let server = server()
        let task = service(server).GET("/file", options: [.download(to: folder.file("none/target.bin"))])
        #expect(await task.result.failure?.code == .cannotCreateFile)
        #expect(server.requests.isEmpty)
    }

    #if os(Linux) && canImport(Glibc)
        @Test("A disk that is full is one error; what there was room for is continued once there is more")
        func diskFull() async throws {
            let content = Self.content
            let server = try LoopbackServer { request in
                .respond(.ranged(content, to: request, fields: [("ETag", "\"v1\"")]))
            }
            let (output, status) = try await TransportProbe.run(
                "download", server.baseURLString, target.path, "100000")
            #expect(status == 0)
            #expect(
                output.contains("File too large") && output.contains("target.bin.swallow-part"), "\(output)")
            #expect(written == nil)
            #expect(folder.names == remainder)
            #expect(folder.sizes.first == 100_000)
            _ = try await service(server).GET("", options: [.download(to: target, resumes: true)]).data
            #expect(written == content)
            #expect(server.requests.last?.header("Range") == "bytes=99999-")
            #expect(folder.names == ["target.bin"])
        }
    #endif
}
