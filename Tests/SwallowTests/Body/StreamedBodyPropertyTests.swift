import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A streamed body in a request")
struct StreamedBodyPropertyTests {
    @Test("A streamed body survives copies, changes and bridging of its request")
    func survives() throws {
        var request = URLRequest.to("http://h/a")
        request.streamedBody = .parts(MadeParts(count: 1, size: 1))
        request.httpMethod = "PUT"
        request.setValue("x", forHTTPHeaderField: "X")
        var copy = request
        copy.url = URL(string: "http://other/")
        #expect(copy.streamedBody?.isRepeatable == false)
        let object = try #require((copy as NSURLRequest).mutableCopy() as? NSMutableURLRequest)
        object.setValue("y", forHTTPHeaderField: "Y")
        #expect((object as URLRequest).streamedBody?.isRepeatable == false)
        #expect(((object.copy() as? NSURLRequest).map { $0 as URLRequest })?.streamedBody != nil)
    }

    @Test("Setting a streamed body removes httpBody, and setting httpBody removes the streamed body")
    func excludes() {
        var request = URLRequest.to("http://h/a") { $0.httpBody = Data([1]) }
        request.streamedBody = .file(URL(filePath: "/a"))
        #expect(request.httpBody == nil)
        request.httpBody = Data([2])
        #expect(request.streamedBody == nil && request.httpBodyStream == nil)
        request.streamedBody = nil
        #expect(request.httpBody == Data([2]))
        request.streamedBody = .data(Data([3]))
        request.streamedBody = nil
        #expect(request.httpBodyStream == nil && request.httpBody == nil)
        request.httpBodyStream = InputStream(data: Data())
        #expect(request.streamedBody == nil)
    }

    @Test("Only a body from a sequence can't be sent again")
    func repeatable() {
        #expect(RequestBody.data(Data()).isRepeatable)
        #expect(RequestBody.file(URL(filePath: "/a")).isRepeatable)
        #expect(RequestBody.stream { InputStream(data: Data()) }.isRepeatable)
        #expect(!RequestBody.parts(MadeParts(count: 1, size: 1)).isRepeatable)
    }

    @Test("A streamed body is available as httpBodyStream")
    func asStream() async throws {
        let file = try TemporaryFile(LoopbackServer.octets(100_000))
        let bodies: [RequestBody] = [
            .data(LoopbackServer.octets(100_000)), .file(file.url),
            .stream { InputStream(data: LoopbackServer.octets(100_000)) },
        ]
        for body in bodies {
            var request = URLRequest.to("http://h/a")
            request.streamedBody = body
            for _ in 0..<2 {
                let copy = request
                let bytes = try await onThread { copy.httpBodyStream.map(Self.read) }
                #expect(bytes == LoopbackServer.octets(100_000))
            }
        }
        var request = URLRequest.to("http://h/a")
        request.streamedBody = .parts(MadeParts(count: 100, size: 1000))
        let copy = request
        #expect(try await onThread { copy.httpBodyStream.map(Self.read) }?.count == 100_000)
    }

    @Test("A body that can't be read is a stream with an error")
    func unreadable() throws {
        var request = URLRequest.to("http://h/a")
        request.streamedBody = .file(URL(filePath: "/nowhere/body"))
        let stream = try #require(request.httpBodyStream)
        stream.open()
        #expect(stream.streamStatus == .error)
        #expect((stream.streamError as? ServiceError)?.reason == .invalidRequest)
    }

    private static func read(_ stream: InputStream) -> Data {
        stream.open()
        defer { stream.close() }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 7000)
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
            data.append(contentsOf: buffer.prefix(count))
        }
        return data
    }
}
