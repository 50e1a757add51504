import Foundation
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Content that handlers read")
struct ContentTests {
    private func task(
        _ body: String, status: Int = 200, type: String? = "application/json"
    ) -> ServiceTask {
        let headers = type.map { ["Content-Type": $0] } ?? [:]
        let source = ManualDataSource(answersInResume: { $0.answer(body, status: status, headers: headers) })
        return WebService.test(source).GET("/")
    }

    @Test("Ten responseJSON handlers and three awaits parse the body once")
    func parseOnce() async throws {
        // A second parse would find the bytes overwritten.
        let bytes = Array("[1, 2, 3]".utf8)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        defer { memory.deallocate() }
        let address = UInt(bitPattern: memory.baseAddress)
        let source = ManualDataSource(answersInResume: { exchange in
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else { return }
            let data = Data(bytesNoCopy: pointer, count: 9, deallocator: .none)
            exchange.complete(data: data, response: exchange.response())
        })
        let counts = Recorder<Int>()
        let task = WebService.test(source).GET("/")
            .responseJSON(.utility) { json in
                counts.append(json.count)
                UnsafeMutableRawPointer(bitPattern: address)?.initializeMemory(
                    as: UInt8.self, repeating: 0, count: 9)
            }
        for _ in 0..<9 { task.responseJSON(.utility) { counts.append($0.count) } }
        for _ in 0..<3 { #expect(try await task.json.count == 3) }
        #expect(try await task.content(as: JSON.self).count == 3)
        #expect(await counts.first(10) == Array(repeating: 3, count: 10))
    }

    @Test(
        "JSON is parsed regardless of the content type",
        arguments: [nil, "text/html", "application/octet-stream"])
    func wrongContentType(type: String?) async throws {
        #expect(try await task("[1]", type: type).json == [1])
        #expect(try await task("[1]", type: type).decoded(as: [Int].self) == [1])
    }

    @Test(
        "The content type decides the type of the pipeline's content",
        arguments: [
            ("application/json", "JSON"), ("Application/Problem+JSON; charset=utf-8", "JSON"),
            ("text/plain", "String"), ("text/html; charset=iso-8859-1", "String"),
            ("application/octet-stream", "Data"), ("application/jsonx", "Data"),
        ])
    func pipelineContent(type: String, expected: String) async throws {
        let entity = try await task("[1]", type: type).result.get()
        #expect("\(Swift.type(of: entity.content))" == expected)
    }

    @Test("Content of a type other than the requested one is a mismatch that names both types")
    func mismatch() async {
        await #expect { try await task("[1]").content(as: String.self) } throws: { error in
            (error as? ServiceError)?.reason == .contentMismatch(expected: "String", actual: "JSON")
        }
    }

    @Test("Without standard transformers, the content is the bytes")
    func noTransformers() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("[1]") })
        let service = WebService(
            baseURLString: "http://service.test", dataSource: source, standardTransformers: [])
        #expect(try await service.GET("/").content(as: Data.self) == Data("[1]".utf8))
    }

    @Test(
        "An empty body is a success for raw content and text, and fails with .emptyBody for JSON",
        arguments: [200, 204, 205]
    )
    func emptyBody(status: Int) async throws {
        let task = task("", status: status)
        #expect(try await task.data.isEmpty)
        #expect(try await task.text == "")
        #expect(try await task.result.get().content as? Data == Data())
        for read in [{ _ = try await task.json }, { _ = try await task.decoded(as: [Int].self) }] {
            await #expect { try await read() } throws: { ($0 as? ServiceError)?.reason == .emptyBody }
        }
    }

    @Test("An optional is nil if the body is empty, and JSON doesn't count as an optional")
    func emptyBodyOptional() async throws {
        #expect(try await task("").decoded(as: [Int]?.self) == nil)
        #expect(try await task("[1]").decoded(as: [Int]?.self) == [1])
        #expect(try await task("null").decoded(as: [Int]?.self) == nil)
        await #expect { try await task("").decoded(as: JSON.self) } throws: {
            ($0 as? ServiceError)?.reason == .emptyBody
        }
    }

    @Test("JSON that can't be decoded fails with .undecodable, and the error has the path and the body")
    func undecodable() async {
        await #expect { try await task(#"[1, "x"]"#).decoded(as: [Int].self) } throws: { error in
            guard let error = error as? ServiceError, let cause = error.underlying as? DecodingError,
                case .typeMismatch(_, let context) = cause
            else { return false }
            return error.reason == .undecodable && context.codingPath.first?.intValue == 1
                && error.json[1].string == "x"
        }
    }

    @Test("Text is decoded by its charset, otherwise as UTF-8, otherwise as ISO-8859-1")
    func charsets() async throws {
        func text(_ bytes: [UInt8], _ type: String) async throws -> String {
            let source = ManualDataSource(answersInResume: { exchange in
                exchange.complete(
                    data: Data(bytes), response: exchange.response(headers: ["Content-Type": type]))
            })
            return try await WebService.test(source).GET("/").text
        }
        #expect(try await text([0xE9], "text/plain; charset=ISO-8859-1") == "é")
        #expect(try await text([0xC3, 0xA9], "text/plain; charset=\"utf-8\"") == "é")
        #expect(try await text([0xC3, 0xA9], "text/plain") == "é")
        #expect(try await text([0xE9], "text/plain") == "é")
        #expect(try await text([0xEF, 0xBB, 0xBF, 0x61], "text/plain") == "a")
        #expect(try await text([0x00, 0x61], "text/plain; charset=utf-16be") == "a")
        for (bytes, type) in [([UInt8](repeating: 0xFF, count: 2), "utf-8"), ([0x61], "klingon")] {
            await #expect { try await text(bytes, "text/plain; charset=\(type)") } throws: {
                ($0 as? ServiceError)?.reason == .unparsable
            }
        }
    }

    @Test("The data are the bytes as received, even if they can't be parsed")
    func raw() async throws {
        #expect(try await task("{", type: "application/json").data == Data("{".utf8))
    }
}
