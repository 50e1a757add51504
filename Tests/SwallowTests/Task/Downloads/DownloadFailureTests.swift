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

    @Test("A failed download without resumes leaves no file behind and doesn't replace the target")
    func failing() async throws {
        try Data("old".utf8).write(to: target)
        let server = server(cutting: [100_000])
        #expect(await download(server, resumes: false).failure != nil)
        #expect(written == Data("old".utf8))
        #expect(folder.names == ["target.bin"])
    }

    @Test("An unsuccessful response leaves the partial file, and the error has the response's body")
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
        "A second task on a partial file in use fails with .invalidRequest, and without resumes, the last task wins"
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

    @Test("If the body can't be written, the task fails and the transfer is cancelled")
    func failedWrites() async throws {
        let source = StreamingDataSource()
        let task = WebService.test(source).GET("/file", options: [.download(to: target, resumes: true)])
        let exchange = await source.exchange
        // A folder takes the place of the record, so the record's file can't be created.
        let record = folder.file("target.bin.swallow-record")
        try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
        exchange.head(headers: Self.tag)
        exchange.send("0123456789")
        #expect(await task.result.failure?.code == .cannotWriteToFile)
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
        #expect(written == nil)
    }

    @Test("The body of an error response isn't written to the target")
    func missing() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/status/404", options: [.download(to: target, resumes: true)])
        let error = await task.result.failure
        #expect(error?.isNotFound == true)
        #expect(error?.text == "status 404")
        #expect(written == nil)
    }

    @Test("A request that can't be a download fails with .invalidRequest, and nothing is sent")
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

    @Test("If the target's folder doesn't exist, the download fails before anything is sent")
    func unwritable() async throws {
        let server = server()
        let task = service(server).GET("/file", options: [.download(to: folder.file("none/target.bin"))])
        #expect(await task.result.failure?.code == .cannotCreateFile)
        #expect(server.requests.isEmpty)
    }

    #if os(Linux) && canImport(Glibc)
        @Test("A download that doesn't fit on the disk fails, and resumes from the bytes on disk later")
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
