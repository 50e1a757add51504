import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests that a stub records")
struct StubRequestsTests {
    private let stub = StubDataSource()

    @Test("Requests are recorded in the order of resume(), with method, header fields and body")
    func order() throws {
        stub.stub(.status(200), when: { _ in true })
        let post = Call(
            try .test(.POST, "/stores", options: [.json(["id": 41] as JSON), .header("X-Part", "a")]), stub)
        let get = Call(try .test(.GET, "/stores/41"), stub)
        #expect(stub.requests.isEmpty)
        get.task.resume()
        post.task.resume()
        #expect(stub.requests.map(\.httpMethod) == ["GET", "POST"])
        #expect(stub.requests.map { $0.url?.path } == ["/stores/41", "/stores"])
        #expect(stub.requests[1].httpBody == Data(#"{"id":41}"#.utf8))
        #expect(stub.requests[1].value(forHTTPHeaderField: "X-Part") == "a")
    }

    @Test("A request is recorded once, even if its task is resumed several times")
    func once() throws {
        stub.stub(.GET, "/stores", .status(200).delayed(.seconds(3600)))
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        exchange.task.suspend()
        exchange.task.resume()
        exchange.task.cancel()
        exchange.task.resume()
        #expect(stub.requests.count == 1)
    }

    @Test("The bytes of a body stream are recorded, and matchers and closures receive them")
    func stream() throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        stub.stub(.PUT, "/stores", body: { $0.count == 100_000 }, .dynamic { .data($0.httpBody ?? Data()) })
        var request = try URLRequest.test(.PUT)
        request.httpBodyStream = InputStream(data: bytes)
        let exchange = Call(request, stub)
        exchange.task.resume()
        #expect(exchange.outcomes.first?.data == bytes)
        #expect(stub.requests.first?.httpBody == bytes)
        #expect(stub.requests.first?.httpBodyStream == nil)
    }

    @Test("A request whose body stream can't be read fails")
    func unreadableStream() throws {
        stub.stub(.PUT, "/stores", .status(200))
        var request = try URLRequest.test(.PUT)
        request.httpBodyStream = InputStream(fileAtPath: "/nowhere/body")
        let exchange = Call(request, stub)
        exchange.task.resume()
        let error = try #require(exchange.outcomes.first?.error as? ServiceError)
        #expect(error.reason == .invalidRequest)
        #expect("\(error)".contains("stream of the body"))
        #expect(stub.requests.count == 1)
    }

    @Test("Requests from many threads are recorded")
    func threads() async throws {
        stub.stub(.GET, "/stores/*", .status(200))
        let service = WebService.test(stub)
        await withTaskGroup { group in
            for id in 0..<100 {
                group.addTask { _ = try? await service.GET("/stores/\(id)").data }
            }
        }
        #expect(Set(stub.requests.compactMap { $0.url?.lastPathComponent }).count == 100)
    }
}
