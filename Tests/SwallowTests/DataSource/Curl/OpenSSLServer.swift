#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    /// A server in another process, `openssl s_server`, with its own certificate for `localhost`. Its responses end with
    /// their connections.
    struct OpenSSLServer {
        let port: String
        let certificate: String
        private let process: ChildProcess
        private let folder = TemporaryFolder()

        private static let program = URL(fileURLWithPath: "/usr/bin/openssl")
        static let isAvailable =
            FileManager.default.isExecutableFile(atPath: program.path) && CurlDataSource.isAvailable

        init(_ options: [String] = []) async throws {
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            let (key, certificate) = (folder.file("key.pem").path, folder.file("certificate.pem").path)
            let maker = try ChildProcess(
                Self.program,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                    "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
                ])
            #expect(try await maker.status() == 0)
            self.certificate = certificate
            let process = try ChildProcess(
                Self.program,
                ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"] + options)
            self.process = process
            port = try await onThread { Self.port(in: process.output) }
        }

        func stop() async throws {
            process.kill()
            _ = try await process.status()
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
