#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import TestSupport
    import Testing

    @testable import CurlEngine
    @testable import Swallow

    @Suite("A missing client certificate")
    struct ClientCertificateTests {
        @Test(
            "The TLS 1.3 alert for a missing certificate is .clientCertificateRequired, from OpenSSL and from GnuTLS",
            arguments: [
                (
                    56,
                    "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0"
                ),
                (55, "SSL_write() returned SYSCALL: tlsv13 alert certificate required"),
                (
                    56,
                    "GnuTLS recv error (-12): A TLS fatal alert has been received.: Certificate is required"
                ),
            ])
        func alert(code: Int32, text: String) throws {
            let error = EngineFailure(code: code, verification: 0, text).error(url: nil)
            #expect((error as? URLError)?.code == .clientCertificateRequired)
            let failure = ServiceError(transport: error, request: nil)
            #expect(failure.description.contains("the server requires a client certificate"))
            #expect(failure.userMessage.contains("certificate"))
        }

        @Test(
            "Other lost connections are reported as lost, and a failed handshake mentions client certificates"
        )
        func others() {
            let lost = EngineFailure(code: 56, verification: 0, "Recv failure: Connection reset by peer")
            #expect((lost.error(url: nil) as? URLError)?.code == .networkConnectionLost)
            let text = "error:0A000410:SSL routines::sslv3 alert handshake failure"
            let error = EngineFailure(code: 35, verification: 0, text).error(url: nil) as? URLError
            #expect(error?.code == .secureConnectionFailed)
            #expect(error?.localizedDescription.contains("client certificate") == true)
        }

        @Test(
            "A server that requires a certificate fails the request with the TLS version's error",
            .enabled(if: OpenSSLServer.isAvailable, "openssl is the server"),
            arguments: [
                ("-tls1_3", URLError.Code.clientCertificateRequired),
                ("-tls1_2", .secureConnectionFailed),
            ])
        func server(version: String, code: URLError.Code) async throws {
            let server = try await OpenSSLServer(["-Verify", "1", version])
            var configuration = CurlDataSource.Configuration()
            configuration.tls.verifiesCertificates = false
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let call = Call(URLRequest(url: url), CurlDataSource(configuration: configuration))
            call.task.resume()
            #expect(await call.outcome.code == code)
            try await server.stop()
        }
    }
#endif
