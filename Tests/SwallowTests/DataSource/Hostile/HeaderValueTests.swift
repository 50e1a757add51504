#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    @Suite("The values of header fields", .enabled(if: CurlDataSource.isAvailable))
    struct HeaderValueTests {
        private func server(_ fields: [UInt8]) throws -> RawServer {
            try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n".utf8) + fields)
                connection.send("\r\n\r\nbody")
            }
        }

        @Test(
            "Header values are read as UTF-8, otherwise as ISO-8859-1 (RFC 9110 §5.5)",
            arguments: [
                ([0x63, 0x61, 0x66, 0xE9], "café"), ([0x63, 0x61, 0x66, 0xC3, 0xA9], "café"),
                ([0xC3, 0xA9, 0xE9], "Ã©é"), ([0xE9], "é"), ([0x80, 0xFF], "\u{80}ÿ"),
                ([0xE2, 0x82], "â\u{82}"),
            ] as [([UInt8], String)])
        func encodings(bytes: [UInt8], text: String) async throws {
            let outcome = try await server(Array("X: ".utf8) + bytes).get(CurlDataSource())
            #expect(outcome.response?.value(forHTTPHeaderField: "X") == text)
        }

        @Test("The bytes of a redirect's Location are requested unchanged")
        func location() async throws {
            let server = try RawServer { connection in
                while let head = connection.receiveHead() {
                    if head.hasPrefix("GET / ") {
                        connection.send(
                            Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9, 0x3F, 0xFF])
                        connection.send("\r\nContent-Length: 0\r\n\r\n")
                    } else {
                        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    }
                }
            }
            #expect(try await server.get(CurlDataSource()).text == "ok")
            #expect(server.heads.values.last?.hasPrefix("GET /caf%E9?%FF HTTP/1.1\r\n") == true)
        }

        @Test("An invalid header field fails the request with an error that names the fault")
        func faults() async throws {
            for (field, fault) in [
                ("X: y\rz", "bare CR"), ("\rX: y", "bare CR"), ("X y: z", "a space"), ("Xyz", "colon"),
            ] {
                let server = try server(Array(field.utf8))
                let service = WebService.test(CurlDataSource(), base: "http://127.0.0.1:\(server.port)")
                let error = await service.GET("/").result.failure
                #expect((error?.underlying as? URLError)?.code == .badServerResponse)
                #expect(error?.description.contains(fault) == true, "\(error?.description ?? "")")
            }
        }

        @Test("If Content-Type is sent twice, the last one counts")
        func twice() async throws {
            let fields = "Content-Type: text/html\r\nContent-Type: text/plain; charset=iso-8859-15"
            let server = try server(Array(fields.utf8))
            var service = WebService.test(CurlDataSource(), base: "http://127.0.0.1:\(server.port)")
            service.configure { $0.acceptableContentTypes = ["text/plain"] }
            let task = service.GET("/")
            #expect(try await task.text == "body")
            #expect(try await task.result.get().contentType == "text/plain")
        }
    }
#endif
