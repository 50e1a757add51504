#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    @Suite("Content codings and truncated bodies", .enabled(if: CurlDataSource.isAvailable))
    struct CodingTests {
        private static func bytes(_ hexadecimal: String) -> [UInt8] {
            let digits: [UInt8] = hexadecimal.compactMap { $0.hexDigitValue.map { UInt8($0) } }
            return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        /// "hello, hello, hello" in each coding.
        static let samples: [(coding: String, body: [UInt8])] = [
            ("gzip", bytes("1f8b0800000000000203cb48cdc9c9d751c840a2009fa1ca0913000000")),
            ("x-gzip", bytes("1f8b0800000000000203cb48cdc9c9d751c840a2009fa1ca0913000000")),
            ("deflate", bytes("789ccb48cdc9c9d751c840a200442806d5")),
            ("Deflate", bytes("cb48cdc9c9d751c840a200")), ("br", bytes("1b120000a440586a90682af19c2e")),
            ("zstd", bytes("28b52ffd20136d00003868656c6c6f2c200100e28a11")),
        ]
        static let text = "hello, hello, hello"

        enum End: String, CaseIterable, Sendable { case length, chunks, connection }

        private func server(_ coding: String, _ body: [UInt8], _ end: End) throws -> RawServer {
            try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n")
                switch end {
                case .length: connection.send(Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
                case .chunks:
                    connection.send("Transfer-Encoding: chunked\r\n\r\n")
                    for byte in body { connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
                    connection.send("0\r\n\r\n")
                case .connection: connection.send(Array("\r\n".utf8) + body)
                }
            }
        }

        @Test("Each content coding is decoded", arguments: samples.map(\.coding), End.allCases)
        func whole(coding: String, end: End) async throws {
            let body = try #require(Self.samples.first { $0.coding == coding }).body
            #expect(try await server(coding, body, end).get(CurlDataSource()).text == Self.text)
        }

        @Test("A body that is truncated at any byte fails", arguments: samples.map(\.coding), End.allCases)
        func truncated(coding: String, end: End) async throws {
            let body = try #require(Self.samples.first { $0.coding == coding }).body
            let source = CurlDataSource()
            for count in 1..<body.count {
                let outcome = try await server(coding, Array(body[..<count]), end).get(source)
                #expect(outcome.code == .cannotDecodeContentData, "\(count) of \(body.count) bytes")
            }
            // A body without any byte counts as empty if its end is certain.
            let empty = try await server(coding, [], end).get(source)
            #expect(empty.code == (end == .connection ? .cannotDecodeContentData : nil))
        }

        @Test(
            "Every gzip member is read (RFC 1952 §2.2), and a truncated member fails",
            arguments: End.allCases)
        func members(end: End) async throws {
            let one = Self.samples[0].body
            let source = CurlDataSource()
            #expect(
                try await server("gzip", one + one + one, end).get(source).text == Self.text + Self.text
                    + Self.text)
            #expect(try await server("gzip", one + [0, 0, 0], end).get(source).text == Self.text)
            for count in 1..<one.count {
                #expect(
                    try await server("gzip", one + one[..<count], end).get(source).code
                        == .cannotDecodeContentData)
            }
            #expect(
                try await server("gzip", one + [1, 2, 3], end).get(source).code == .cannotDecodeContentData)
        }

        @Test(
            "Several codings are decoded in reverse order",
            arguments: ["gzip, identity, gzip", "gzip,gzip"])
        func layers(codings: String) async throws {
            let body = Self.bytes(
                "1f8b080000000000020393efe660000126e6d31e674f9ebc1e78c26111c3fc85a73885818200f25ea1251d000000"
            )
            #expect(try await server(codings, body, .length).get(CurlDataSource()).text == Self.text)
        }

        @Test(
            "An unknown content coding fails",
            arguments: ["compress", "gzip, own", "gzip,gzip,gzip,gzip,gzip,gzip"])
        func unknown(coding: String) async throws {
            let outcome = try await server(coding, Array("x".utf8), .length).get(CurlDataSource())
            #expect(outcome.code == .cannotDecodeContentData)
        }

        @Test("Responses without a body are not decoded")
        func noBody() async throws {
            let source = CurlDataSource()
            for status in [204, 304] {
                let server = try RawServer("HTTP/1.1 \(status) X\r\nContent-Encoding: gzip\r\n\r\n")
                #expect(try await server.get(source).response?.statusCode == status)
            }
            let server = try RawServer(
                "HTTP/1.1 200 OK\r\nContent-Encoding: own\r\nContent-Length: 9\r\n\r\n")
            var request = try server.request()
            request.httpMethod = "HEAD"
            #expect(await server.send(request, source).response?.statusCode == 200)
        }

        @Test("A compressed body that unpacks to more than the maximum fails")
        func bomb() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 20_000
            let server = try server(
                "gzip",
                Self.bytes(
                    "1f8b0800000000000203edc13101000000c2a0f54f6d0d0fa00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000008057037d9511d4a0860100"
                ), .length)
            let outcome = try await server.get(CurlDataSource(configuration: configuration))
            #expect(outcome.code == .dataLengthExceedsMaximum)
            #expect(
                (outcome.error as? URLError)?.localizedDescription.contains("maximumResponseSize") == true)
            #expect(CurlDataSource.Configuration().maximumResponseSize == 256 * 1024 * 1024)
        }

        @Test(
            "A head that is truncated fails",
            arguments: [
                "HTTP/1.1 200 OK\r\nX: 1", "HTTP/1.1 200 OK\r\nX: 1\r\n", "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200", "HTTP",
            ])
        func head(text: String) async throws {
            let outcome = try await RawServer(text).get(CurlDataSource())
            #expect(outcome.error is URLError)
            #expect(outcome.response == nil)
        }
    }
#endif
