#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Swallow
    import TestSupport
    import Testing

    @Suite("The cookie file", .enabled(if: CurlDataSource.isAvailable))
    struct CookieFileTests {
        @Test("A slow disk delays no request", .timeLimit(.minutes(10)))
        func slowDisk() async throws {
            let (isSaving, mayContinue) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
            defer { mayContinue.signal() }
            var configuration = CurlDataSource.Configuration()
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            configuration.cookies = .file(folder.appendingPathComponent("cookies.txt"))
            // The thread that writes the file reports its failure.
            configuration.cookiesNotSaved = { _ in
                isSaving.append(true)
                mayContinue.wait()
            }
            let source = CurlDataSource(configuration: configuration)
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                }
            }
            try source.setCookie(
                .init(name: "a", value: "1", domain: "example.com", expires: .distantFuture))
            _ = await isSaving.first(1)
            // If the loop's thread wrote the file, this request would wait until the end of the test.
            #expect(try await server.get(source).status == 200)
            #expect(isSaving.values.count == 1)
        }
    }
#endif
