#if os(Linux) && canImport(Glibc)
    import Foundation
    import TestSupport
    import Testing

    @Suite("A process with two versions of OpenSSL")
    struct CurlOpenSSLTests {
        private static let compiler = URL(fileURLWithPath: "/usr/bin/cc")
        private static let isAvailable =
            FileManager.default.isExecutableFile(atPath: compiler.path) && OpenSSLServer.isAvailable

        @Test(
            "Only functions of libcurl's own OpenSSL change its objects",
            .enabled(if: isAvailable, "openssl is the server, and cc makes a library"))
        func otherVersion() async throws {
            let folder = TemporaryFolder()
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            let (source, library) = (folder.file("other.c"), folder.file("other.so"))
            try Data("#include <stdlib.h>\nvoid SSL_set_info_callback(void) { abort(); }\n".utf8).write(
                to: source)
            let compiler = try ChildProcess(
                Self.compiler, ["-shared", "-fPIC", "-o", library.path, source.path])
            #expect(try await compiler.status() == 0)
            let server = try await OpenSSLServer()
            // The body ends with the connection, so the end of TLS is observed.
            let (output, status) = try await TransportProbe.run(
                "keys", "https://localhost:\(server.port)/", server.certificate,
                environment: ["LD_PRELOAD": library.path])
            #expect(status == 0)
            #expect(output.contains("s_server"), "\(output)")
            try await server.stop()
        }
    }
#endif
