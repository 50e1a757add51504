#if os(Linux) && canImport(Glibc)
    import Foundation

    package enum EngineFailure: Error, Sendable {
        case transport(URLError.Code, String? = nil)
        case invalidRequest(String)
        case noThread(any Error)
        case other(any Error)

        init(code: Int32, verification: Int, _ text: String) {
            if [35, 55, 56].contains(code), Self.demandsCertificate(text) {
                self = .transport(
                    .clientCertificateRequired, "the server requires a client certificate (\(text))")
            } else {
                // TLS 1.2 has no specific alert for a missing client certificate.
                let isUnexplained = code == 35 && text.contains("alert handshake failure")
                let hint = isUnexplained ? ". The server may require a client certificate" : ""
                self = .transport(Self.errorCode(of: code, verification: verification, text), text + hint)
            }
        }

        private static func errorCode(of code: Int32, verification: Int, _ text: String) -> URLError.Code {
            switch code {
            // Code 1 is an unsupported protocol. It is usually HTTP/0.9, because all requests have the scheme `http` or
            // `https`.
            case 1, 8, 16: .badServerResponse
            case 3: .badURL
            case 5, 6: .cannotFindHost
            case 7, 97: .cannotConnectToHost
            case 18, 52, 55, 65, 92: .networkConnectionLost
            // A malformed chunk has the same code as a lost connection.
            case 56: text.contains("chunk") ? .badServerResponse : .networkConnectionLost
            case 28: .timedOut
            case 35, 53, 54, 59, 64, 66, 77, 80, 82, 83: .secureConnectionFailed
            case 51, 60: certificateErrorCode(verification)
            case 58: .clientCertificateRejected
            case 61: .cannotDecodeContentData
            case 63: .dataLengthExceedsMaximum
            case 90, 91: .serverCertificateUntrusted
            case 98: .clientCertificateRequired
            default: .unknown
            }
        }

        /// Recognizes the alert `certificate_required` (RFC 8446 §6.2) in the texts of OpenSSL and GnuTLS.
        private static func demandsCertificate(_ text: String) -> Bool {
            text.contains("alert certificate required") || text.contains("Certificate is required")
        }

        private static func certificateErrorCode(_ verification: Int) -> URLError.Code {
            switch verification {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            default: .serverCertificateUntrusted
            }
        }
    }
#endif
