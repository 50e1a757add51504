import Foundation
import LoopbackServer
import SwallowResources
import SwallowTesting
import Testing
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Downloads")
struct DownloadTests: Downloading {
    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    @Test("A download returns its target with the bytes, and leaves no other file", arguments: [true, false])
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

    @Test("Handlers that read content read the file once")
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
        // The content is in memory now.
        #expect(try await task.json["id"].int == 1)
    }

    @Test("If the file is deleted before it is read, the read fails with .cannotOpenFile")
    func gone() async throws {
        let server = server()
        let task = service(server).GET("/file", options: [.download(to: target)])
        _ = await task.result
        try FileManager.default.removeItem(at: target)
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.code == .cannotOpenFile)
    }

    @Test("A file larger than the memory limit isn't read")
    func tooLarge() throws {
        try Data(count: 11).write(to: target)
        let head = try head(200)
        #expect(try PipelineAdapter.contents(ofFile: target, of: head, limit: 11).count == 11)
        let error = #expect(throws: ServiceError.self) {
            try PipelineAdapter.contents(ofFile: target, of: head, limit: 10)
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
    }

    @Test("A large body that arrives faster than it is written is saved completely")
    func backPressure() async throws {
        let content = LoopbackServer.octets(5_000_000)
        let source = ServerSource { .ranged(content, to: $0, fields: Self.tag) }
        _ = try await download(source).get()
        #expect(written == content)
    }

    @Test("A download doesn't use caches")
    func caches() async throws {
        let source = ServerSource { .ranged(Self.content, to: $0, fields: ["Cache-Control": "max-age=60"]) }
        var service = WebService.test(source)
        service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
        _ = try await service.GET("/file").data
        #expect(source.requests.count == 1)
        let options: [Request.Option] = [
            .download(to: target), .cachePolicy(.preferCache(maxAge: .seconds(60))),
        ]
        let task = service.GET("/file", options: options)
        #expect(try await task.content(as: URL.self) == target)
        #expect(source.requests.count == 2)
        #expect(written == Self.content)
    }

    @Test("A successful response without a body creates an empty file", arguments: [200, 204])
    func empty(status: Int) async throws {
        let server = ServerSource { _ in .status(status) }
        _ = try await download(server).get()
        #expect(written == Data())
    }

    @Test("A 304 that counts as acceptable leaves the target unchanged")
    func notModified() async throws {
        try Data("old".utf8).write(to: target)
        let server = ServerSource { _ in .status(304) }
        let result = await download(server, resumes: false, options: [.acceptableStatusCodes([200, 304])])
        #expect(result.failure == nil)
        #expect(written == Data("old".utf8))
        #expect(folder.names == ["target.bin"])
    }

    @Test("If a request specifies a range, the download contains that range")
    func ownRange() async throws {
        let server = server()
        let options: [Request.Option] = [.header("Range", "bytes=299990-")]
        _ = try await download(server, resumes: false, options: options).get()
        #expect(written == Self.content.suffix(10))
    }

    @Test("A POST request can be a download")
    func post() async throws {
        let server = try LoopbackServer()
        let task = service(server).POST("/echo", options: [.json(["a": 1]), .download(to: target)])
        #expect(try await task.json["body"].string == #"{"a":1}"#)
        #expect(try JSON(parsing: #require(written))["method"].string == "POST")
    }

    @Test("The file contains the decompressed body")
    func coded() async throws {
        let server = try LoopbackServer()
        let task = service(server).GET("/gzip", options: [.download(to: target)])
        #expect(try await task.json["gzipped"].bool == true)
    }

    @Test("Each start of a future starts its own download")
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
