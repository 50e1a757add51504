#if os(Linux) && canImport(Glibc)
    /// The reason why a transfer failed.
    package enum EngineFailure: Error, Sendable {
        /// The kinds of connection and response failures. The raw values are the codes of Foundation's `URLError`.
        package enum Kind: Int, Sendable {
            case unknown = -1
            case cancelled = -999
            case badURL = -1000
            case timedOut = -1001
            case unsupportedURL = -1002
            case cannotFindHost = -1003
            case cannotConnectToHost = -1004
            case networkConnectionLost = -1005
            case badServerResponse = -1011
            case cannotDecodeContentData = -1016
            case dataLengthExceedsMaximum = -1103
            case secureConnectionFailed = -1200
            case serverCertificateHasBadDate = -1201
            case serverCertificateUntrusted = -1202
            case serverCertificateNotYetValid = -1204
            case clientCertificateRejected = -1205
            case clientCertificateRequired = -1206
        }

        case transport(Kind, String? = nil)
        /// The request or the configuration can't be used.
        case invalidRequest(String)
        /// Reading the request's body failed.
        case body(any Error)

        /// Creates the failure for a libcurl code (`CURLE_…`).
        ///
        /// - Parameters:
        ///   - verification: OpenSSL's result of the certificate's verification.
        ///   - text: The description from libcurl.
        init(code: Int32, verification: Int, _ text: String) {
            if [35, 55, 56].contains(code), Self.demandsCertificate(text) {
                self = .transport(
                    .clientCertificateRequired, "the server requires a client certificate (\(text))")
            } else {
                // TLS 1.2 has no alert for a missing certificate.
                let isUnexplained = code == 35 && text.contains("alert handshake failure")
                let hint = isUnexplained ? ". The server may require a client certificate" : ""
                self = .transport(Self.kind(of: code, verification: verification, text), text + hint)
            }
        }

        private static func kind(of code: Int32, verification: Int, _ text: String) -> Kind {
            switch code {
            // Code 1 is an unsupported protocol. It means HTTP/0.9, because requests with other schemes aren't sent.
            case 1, 8, 16: .badServerResponse
            case 3: .badURL
            case 5, 6: .cannotFindHost
            case 7, 97: .cannotConnectToHost
            case 18, 52, 55, 65, 92: .networkConnectionLost
            // A malformed chunk has the same code as a lost connection.
            case 56: text.contains("chunk") ? .badServerResponse : .networkConnectionLost
            case 28: .timedOut
            case 35, 53, 54, 59, 64, 66, 77, 80, 82, 83: .secureConnectionFailed
            case 51, 60: certificateKind(verification)
            case 58: .clientCertificateRejected
            case 61: .cannotDecodeContentData
            case 63: .dataLengthExceedsMaximum
            case 90, 91: .serverCertificateUntrusted
            case 98: .clientCertificateRequired
            default: .unknown
            }
        }

        /// Returns whether the server has closed the connection because the client has no certificate (the alert
        /// `certificate_required`, RFC 8446 §6.2). libcurl reports a lost connection, because the handshake is already
        /// complete. The first text is from OpenSSL, and the second from GnuTLS.
        private static func demandsCertificate(_ text: String) -> Bool {
            text.contains("alert certificate required") || text.contains("Certificate is required")
        }

        /// Returns the kind for OpenSSL's `X509_V_ERR_…`.
        private static func certificateKind(_ verification: Int) -> Kind {
            switch verification {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            default: .serverCertificateUntrusted
            }
        }
    }
#endif
