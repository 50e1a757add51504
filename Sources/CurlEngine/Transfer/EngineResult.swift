#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    package enum EngineResult: Sendable {
        case response(EngineHead, Data)
        case failure(EngineFailure, EngineHead? = nil)
    }

    package struct EngineProgress: Sendable {
        package var sent: Int64 = 0
        package var received: Int64 = 0
        package var expectedToSend: Int64?
        package var expectedToReceive: Int64?
    }

    package struct EngineReport: Sendable {
        /// Microseconds since libcurl received the request. 0 marks a step that didn't take place.
        package struct Times: Sendable {
            package let nameLookup: Int64
            package let connection: Int64
            package let tls: Int64
            package let request: Int64
            package let firstByte: Int64
            package let lastByte: Int64
        }

        package let progress: EngineProgress
        package let times: Times
        /// The nanoseconds from the start until libcurl received the request.
        package let waited: UInt64
        package var protocolName: String? { Self.protocols[version] }
        package let address: String
        package let port: Int
        package let isReused: Bool
        package let sendings: Int
        private let start: UInt64
        private let version: Int
        private let trailerLines: [UInt8]

        private static let protocols = [1: "http/1.0", 2: "http/1.1", 3: "h2", 30: "h3"]

        init(
            _ easy: UnsafeMutableRawPointer, _ progress: EngineProgress, start: UInt64, waited: UInt64,
            sendings: Int, trailerLines: [UInt8]
        ) {
            self.progress = progress
            (self.start, self.waited, self.sendings) = (start, waited, sendings)
            self.trailerLines = trailerLines
            times = Times(
                nameLookup: swallow_curl_get_offset(easy, CurlInfo.nameLookUpTime),
                connection: swallow_curl_get_offset(easy, CurlInfo.connectTime),
                tls: swallow_curl_get_offset(easy, CurlInfo.tlsTime),
                request: swallow_curl_get_offset(easy, CurlInfo.requestTime),
                firstByte: swallow_curl_get_offset(easy, CurlInfo.firstByteTime),
                lastByte: swallow_curl_get_offset(easy, CurlInfo.totalTime))
            version = swallow_curl_get_long(easy, CurlInfo.httpVersion)
            let text = swallow_curl_get_pointer(easy, CurlInfo.address)?.assumingMemoryBound(to: CChar.self)
            address = text.map { String(cString: $0) } ?? ""
            port = swallow_curl_get_long(easy, CurlInfo.port)
            isReused = swallow_curl_get_long(easy, CurlInfo.newConnections) == 0
        }

        package var age: UInt64 { CurlClock.now - min(start, CurlClock.now) }

        /// The fields after the body, except invalid fields and continued lines (RFC 9112 §5.2).
        package var trailers: [(name: String, value: String)] {
            trailerLines.split(separator: 0x0A).compactMap { line in
                let line = line.last == 0x0D ? line.dropLast() : line
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                    !HTTPText.isBlank(line[line.startIndex])
                else { return nil }
                let (name, value) = (
                    HTTPText.decoded(HTTPText.trimmed(line[..<colon])),
                    HTTPText.decoded(HTTPText.trimmed(line[(colon + 1)...]))
                )
                return HTTPText.isToken(name) && HTTPText.isFieldValue(value) ? (name, value) : nil
            }
        }
    }

    package enum EngineFailure: Error, Sendable {
        case transport(URLError.Code, String? = nil)
        case invalidRequest(String)
        /// The system can't create a thread for the loop.
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
