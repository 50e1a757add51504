#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    @Suite("Ambiguous heads", .enabled(if: CurlDataSource.isAvailable))
    struct FramingTests {
        struct Case: Sendable, CustomTestStringConvertible {
            let section: String
            let head: String
            var testDescription: String { "\(section): \(head.debugDescription)" }

            init(_ section: String, _ head: String) {
                self.section = section
                self.head = head
            }
        }

        private static let rejected = [
            Case("RFC 9112 §6.3", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 10"),
            Case("RFC 9112 §6.3", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 4"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: 4, 10"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: 0x4"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: 4 4"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: +4"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: -4"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length:"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\nContent-Length: 4,"),
            Case("RFC 9110 §8.6", "HTTP/1.1 200 OK\r\ncontent-length: 12345678901234567890123"),
            Case("RFC 9112 §5.1", "HTTP/1.1 200 OK\r\nContent-Length : 4"),
            Case("RFC 9112 §5.1", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX : y"),
            Case("RFC 9112 §5.1", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX y: z"),
            Case("RFC 9112 §5.1", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX\ty: z"),
            Case("RFC 9112 §5", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nXyz"),
            Case("RFC 9112 §2.2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\rz"),
            Case("RFC 9112 §2.2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\r\nZ: z"),
            Case("RFC 9112 §2.2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\n z\rZ: z"),
            Case("RFC 9110 §5.5", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\0z"),
            Case("RFC 9112 §5.2", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n 4"),
            Case("RFC 9112 §6.3", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked"),
            Case("RFC 9112 §6.3", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4"),
            Case("RFC 9112 §7", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked"),
            Case("RFC 9112 §7", "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked"),
            Case(
                "RFC 9112 §7.1", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"
            ),
            Case("RFC 9112 §2.3", "http/1.1 200 OK\r\nContent-Length: 4"),
            Case(
                "RFC 9110 §10.2.2", "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 4"),
            Case("RFC 9110 §7.8", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade"),
        ]

        @Test("An ambiguous head fails immediately", arguments: rejected)
        func rejection(_ rejected: Case) async throws {
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(rejected.head + "\r\n\r\nbodybodybody")
                // A client that waited for the end of the connection would wait forever.
                connection.waitForEnd()
            }
            let outcome = try await server.get(CurlDataSource())
            #expect(outcome.code == .badServerResponse)
            #expect(outcome.data == nil)
            #expect(server.heads.values.count == 1)
        }

        @Test(
            "An unusual but unambiguous head is accepted",
            arguments: [
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4",
                "HTTP/1.1 200 OK\r\nContent-Length: 4, 4", "HTTP/1.1 200 OK\r\nCONTENT-LENGTH:\t0004  ",
                "HTTP/1.1 200\r\nContent-Length: 4", "HTTP/1.0 200 OK\r\nLocation: /x",
            ])
        func odd(head: String) async throws {
            let server = try RawServer("\(head)\r\n\r\nbody")
            #expect(try await server.get(CurlDataSource()).text == "body")
        }

        @Test("A 101 response is accepted if the request has an Upgrade field")
        func upgrade() async throws {
            let server = try RawServer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: own\r\n\r\nbytes")
            var request = try server.request()
            request.setValue("own", forHTTPHeaderField: "Upgrade")
            #expect(await server.send(request, CurlDataSource()).response?.statusCode == 101)
        }
    }

    @Suite("Heads that are too large", .enabled(if: CurlDataSource.isAvailable))
    struct LargeHeadTests {
        private func head(fields: Int) -> String {
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                + (0..<fields).map { "f\($0):\r\n" }.joined() + "\r\nok"
        }

        private func source(
            _ configure: (inout CurlDataSource.Configuration) -> Void
        ) -> CurlDataSource {
            var configuration = CurlDataSource.Configuration()
            configure(&configuration)
            return CurlDataSource(configuration: configuration)
        }

        @Test("A head with too many fields fails with an error that names the limit")
        func fields() async throws {
            let server = try RawServer(head(fields: 30_000))
            let outcome = try await server.get(CurlDataSource())
            #expect(outcome.code == .badServerResponse)
            #expect((outcome.error as? URLError)?.localizedDescription.contains("maximumFieldCount") == true)
        }

        @Test("With higher limits, all fields are read, and their names are compared case-insensitively")
        func otherLimits() async throws {
            let server = try RawServer(
                head(fields: 20_000).replacing("\r\n\r\n", with: "\r\nF7: again\r\nF19999: too\r\n\r\n"))
            let source = source {
                $0.maximumFieldCount = 50_000
                $0.maximumHeadSize = 1_000_000
            }
            let outcome = try await server.get(source)
            #expect(outcome.text == "ok")
            #expect(outcome.response?.allHeaderFields.count == 20_001)
            #expect(outcome.response?.value(forHTTPHeaderField: "f7") == ", again")
            #expect(outcome.response?.value(forHTTPHeaderField: "f19999") == ", too")
        }

        @Test("A head with too many bytes fails with an error that names the limit")
        func size() async throws {
            let server = try RawServer("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 2000))\r\n\r\n")
            let outcome = try await server.get(source { $0.maximumHeadSize = 1000 })
            #expect(outcome.code == .badServerResponse)
            #expect((outcome.error as? URLError)?.localizedDescription.contains("maximumHeadSize") == true)
        }
    }
#endif
