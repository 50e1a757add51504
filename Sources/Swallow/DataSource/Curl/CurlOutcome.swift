#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    /// How a transfer ended.
    enum CurlOutcome: Sendable {
        /// The lines of the head, and the body.
        case response([UInt8], Data)
        /// The reason, and the lines of the head if it came whole.
        case failure(CurlFailure, head: [UInt8]? = nil)
    }

    /// Why a transfer failed.
    enum CurlFailure: Sendable {
        /// By libcurl's code, the result of the certificate's verification, and its own words.
        case transfer(Int32, verification: Int, String)
        /// A rule of the data source's was broken; the text says which.
        case refused(URLError.Code, String? = nil)
        /// For a configuration or request that can't be used.
        case invalid(String)
        /// For a body that can't be read to its end.
        case body(ServiceError)

        func error(url: URL?) -> any Error {
            switch self {
            case .transfer(let code, let verification, let text):
                Self.error(code, verification: verification, text, url)
            case .refused(let code, let text): Self.error(code, text, url)
            case .invalid(let detail): ServiceError(.invalidRequest, detail: detail)
            case .body(let error): error
            }
        }

        private static func error(
            _ code: Int32, verification: Int, _ text: String, _ url: URL?
        ) -> URLError {
            if [35, 55, 56].contains(code), demandsCertificate(text) {
                return error(
                    .clientCertificateRequired, "the server requires a client certificate (\(text))", url)
            }
            // TLS 1.2 has no alert for a missing certificate.
            let isUnexplained = code == 35 && text.contains("alert handshake failure")
            let words = isUnexplained ? "\(text). The server may require a client certificate" : text
            return error(Self.code(of: code, verification: verification, text), words, url)
        }

        private static func error(_ code: URLError.Code, _ text: String?, _ url: URL?) -> URLError {
            var information: [String: Any] = [:]
            if let text { information[NSLocalizedDescriptionKey] = text }
            if let url { information[NSURLErrorFailingURLErrorKey] = url }
            return URLError(code, userInfo: information)
        }

        /// The URLError of a `CURLE_…`.
        private static func code(of code: Int32, verification: Int, _ text: String) -> URLError.Code {
            switch code {
            // 1: HTTP/0.9, since other schemes don't get here.
            case 1, 8, 16: .badServerResponse
            case 3: .badURL
            case 5, 6: .cannotFindHost
            case 7, 97: .cannotConnectToHost
            case 18, 52, 55, 65, 92: .networkConnectionLost
            // Bytes that are no chunk end in the same code as a connection that was lost.
            case 56: text.contains("chunk") ? .badServerResponse : .networkConnectionLost
            case 28: .timedOut
            case 35, 53, 54, 59, 64, 66, 77, 80, 82, 83: .secureConnectionFailed
            case 51, 60: certificateCode(verification)
            case 58: .clientCertificateRejected
            case 61: .cannotDecodeContentData
            case 63: .dataLengthExceedsMaximum
            case 90, 91: .serverCertificateUntrusted
            case 98: .clientCertificateRequired
            default: .unknown
            }
        }

        /// Whether the server has ended the connection because the client has no certificate (the alert `certificate_required`,
        /// RFC 8446 §6.2). Libcurl reports this as a connection that was lost, because the handshake is already complete. The
        /// words are those of OpenSSL and of GnuTLS.
        private static func demandsCertificate(_ text: String) -> Bool {
            text.contains("alert certificate required") || text.contains("Certificate is required")
        }

        /// By OpenSSL's X509_V_ERR_… numbers.
        private static func certificateCode(_ verification: Int) -> URLError.Code {
            switch verification {
            case 9: .serverCertificateNotYetValid
            case 10: .serverCertificateHasBadDate
            default: .serverCertificateUntrusted
            }
        }
    }

    /// What a transfer leaves behind: libcurl's numbers as they are, until they are asked for.
    struct CurlReport: Sendable {
        /// Moments in microseconds from the start; 0 for a step that didn't take place.
        private struct Times: Sendable {
            var nameLookUp: Int64
            var connection: Int64
            var tls: Int64
            var request: Int64
            var firstByte: Int64
            var lastByte: Int64
        }

        let progress: TransferProgress
        private let start: UInt64
        /// How long the request waited before libcurl got it.
        private let waited: Duration
        private let times: Times
        private let version: Int
        private let address: String
        private let port: Int
        private let isReused: Bool
        private let sendings: Int
        private let trailerLines: [UInt8]

        init(
            _ easy: UnsafeMutableRawPointer, _ progress: TransferProgress, start: UInt64, waited: UInt64,
            sendings: Int, trailerLines: [UInt8]
        ) {
            self.progress = progress
            (self.start, self.waited) = (start, .nanoseconds(waited))
            self.sendings = sendings
            self.trailerLines = trailerLines
            times = Times(
                nameLookUp: swallow_curl_get_offset(easy, CurlInfo.nameLookUpTime),
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

        /// The transfer's metrics, made of libcurl's numbers.
        var metrics: TransferMetrics {
            // The start is known by the monotonic clock only.
            let age = Double(CurlClock.now - min(start, CurlClock.now)) / 1e9
            var metrics = TransferMetrics(start: Date(timeIntervalSinceNow: -age))
            func moment(_ time: Int64) -> Duration? { time > 0 ? waited + .microseconds(time) : nil }
            if !isReused, !address.isEmpty {
                metrics.domainLookupEnd = moment(times.nameLookUp)
                metrics.connectEnd = moment(times.connection)
                metrics.secureConnectionEnd = moment(times.tls)
            }
            metrics.requestEnd = moment(times.request)
            metrics.responseStart = moment(times.firstByte)
            metrics.responseEnd = moment(times.lastByte)
            metrics.attempts = max(1, sendings)
            metrics.bytesSent = progress.sent
            metrics.bytesReceived = progress.received
            metrics.protocolName = Self.protocols[version]
            if !address.isEmpty {
                metrics.remoteAddress = (address.contains(":") ? "[\(address)]" : address) + ":\(port)"
                metrics.isConnectionReused = isReused
            }
            return metrics
        }

        /// By libcurl's numbers; the names are those of ALPN.
        private static let protocols = [1: "http/1.0", 2: "http/1.1", 3: "h2", 30: "h3"]

        /// The trailer fields. Lines that aren't valid fields are dropped.
        var trailers: Headers {
            var trailers = Headers()
            for line in trailerLines.split(separator: 0x0A) {
                // The obsolete continuation of a line (RFC 9112 §5.2) is no field of its own.
                if let first = line.first, HTTPSyntax.isSpace(first) { continue }
                let text = HTTPSyntax.text(line.last == 0x0D ? line.dropLast() : line)
                guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
                let name = text[..<colon].trimmingSpaces
                let value = text[text.utf8.index(after: colon)...].trimmingSpaces
                guard HTTPSyntax.isToken(name), HTTPSyntax.isFieldValue(value) else { continue }
                trailers.append(String(value), for: Headers.Name(String(name)))
            }
            return trailers
        }
    }
#endif
