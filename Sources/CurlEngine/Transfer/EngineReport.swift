#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    package enum EngineResult: Sendable {
        case response(EngineHead, Data)
        /// The failure, and the head if it was complete.
        case failure(EngineFailure, EngineHead? = nil)
    }

    /// The numbers of bytes that a transfer has sent and received so far, without heads.
    package struct EngineProgress: Sendable {
        package var sent: Int64 = 0
        package var received: Int64 = 0
        /// `nil` if the length is unknown.
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
        /// In nanoseconds, until libcurl received the request.
        package let waited: UInt64
        package var protocolName: String? { Self.protocols[version] }
        /// The peer's address and port. The address is empty if no connection was made.
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

        /// Leaves out invalid fields, and lines that continue the previous line (RFC 9112 §5.2).
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
#endif
