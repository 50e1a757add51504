#if os(Linux) && canImport(Glibc)
    import Foundation
    import TestSupport
    import Testing

    @Suite("A process with two versions of OpenSSL")
    struct CurlOpenSSLTests {
        @Test(
            "Only the functions of libcurl's own OpenSSL change its objects",
            .enabled(
                if: PreloadedLibrary.isAvailable && OpenSSLServer.isAvailable,
                "openssl is the server, and cc makes a library"))
        func otherVersion() async throws {
            let library = try await PreloadedLibrary(
                "#include <stdlib.h>\nvoid SSL_set_info_callback(void) { abort(); }\n")
            let server = try await OpenSSLServer()
            // The body ends with the connection, so the test observes the end of TLS.
            let (output, status) = try await TransportProbe.run(
                "keys", "https://localhost:\(server.port)/", server.certificate,
                environment: library.environment)
            #expect(status == 0)
            #expect(output.contains("s_server"), "\(output)")
            try await server.stop()
        }
    }
#endif
