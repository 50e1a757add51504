#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("A client certificate that is missing")
    struct ClientCertificateTests {
        private static let openssl = URL(fileURLWithPath: "/usr/bin/openssl")
        private static let hasServer =
            FileManager.default.isExecutableFile(atPath: openssl.path) && CurlDataSource.isAvailable

        @Test(
            "The alert of TLS 1.3 isn't a lost connection, in the words of OpenSSL and GnuTLS",
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
            let error = CurlFailure.transfer(code, verification: 0, text).error(url: nil)
            #expect((error as? URLError)?.code == .clientCertificateRequired)
            let failure = ServiceError(transport: error, request: nil)
            #expect(failure.description.contains("the server requires a client certificate"))
            #expect(failure.userMessage.contains("certificate"))
        }

        @Test("Other lost connections stay lost, and a failed handshake names the certificate as a cause")
        func others() {
            let lost = CurlFailure.transfer(56, verification: 0, "Recv failure: Connection reset by peer")
            #expect((lost.error(url: nil) as? URLError)?.code == .networkConnectionLost)
            let text = "error:0A000410:SSL routines::sslv3 alert handshake failure"
            let error = CurlFailure.transfer(35, verification: 0, text).error(url: nil) as? URLError
            #expect(error?.code == .secureConnectionFailed)
            #expect(error?.localizedDescription.contains("client certificate") == true)
        }

        @Test(
            "A server that requires a certificate is reported as that",
            .enabled(if: hasServer, "openssl is the server"),
            arguments: [
                ("-tls1_3", URLError.Code.clientCertificateRequired),
                ("-tls1_2", .secureConnectionFailed),
            ])
        func server(version: String, code: URLError.Code) async throws {
            let folder = TemporaryFolder()
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            let (key, certificate) = (folder.file("key.pem").path, folder.file("certificate.pem").path)
            let maker = try ChildProcess(
                Self.openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
                ])
            #expect(try await maker.status() == 0)
            let server = try ChildProcess(
                Self.openssl,
                [
                    "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-Verify", "1",
                    "-www", version,
                ])
            let port = try await onThread { Self.port(in: server.output) }
            var configuration = CurlDataSource.Configuration()
            configuration.tls.verifiesCertificates = false
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            let call = Call(URLRequest(url: url), CurlDataSource(configuration: configuration))
            call.task.resume()
            #expect(await call.outcome.code == code)
            server.kill()
            _ = try await server.status()
        }

        /// Reads a server's output up to the line with its port.
        private static func port(in output: FileHandle) -> String {
            var text = ""
            while true {
                let bytes = output.availableData
                if bytes.isEmpty { return "" }
                text += String(decoding: bytes, as: UTF8.self)
                if text.hasSuffix("\n"), let line = text.split(separator: "\n").last,
                    line.hasPrefix("ACCEPT ")
                {
                    return line.split(separator: ":").last.map(String.init) ?? ""
                }
            }
        }
    }
#endif
