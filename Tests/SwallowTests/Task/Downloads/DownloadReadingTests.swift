import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("Reading the response of a download")
struct DownloadReadingTests {
    private let folder = TemporaryFolder()
    private let stub = StubDataSource()

    init() throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        stub.stub(.GET, "/file", .data(Data(repeating: 7, count: 1000)))
    }

    @Test("Head and progress are available even if the file has been deleted")
    func unread() async throws {
        let target = folder.file("a")
        let task = WebService.test(stub).GET("/file", options: [.download(to: target)])
        _ = await task.result
        try FileManager.default.removeItem(at: target)
        #expect(try await task.head.statusCode == 200)
        let counts = Recorder<Int64>()
        task.downloadProgress(.utility) { counts.append($0.received) }
        #expect(await counts.first(1) == [1000])
        #expect(await task.finalError?.transportCode == nil)
        await #expect(throws: ServiceError.self) { try await task.data }
    }

    @Test("A response whose body is written to a file or a handler is logged once")
    func logged() async throws {
        let events = Recorder<String>()
        var service = WebService.test(stub)
        service.log = { event in
            if case .responseReceived(let request, _) = event { events.append(request.url) }
        }
        _ = await service.GET("/file", options: [.download(to: folder.file("b"))]).result
        _ = try await service.GET("/file").responseStream(.utility) { _ in }.data
        _ = try await service.GET("/file").data
        #expect(events.values.count == 3)
    }
}
