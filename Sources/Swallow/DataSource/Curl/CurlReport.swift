#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// What a transfer leaves behind: libcurl's numbers as they are, until they are asked for.
    struct CurlReport: Sendable {
        /// Moments in microseconds from the start; 0 for what there was not.
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
        /// How long it waited before it was libcurl's.
        private let waited: Duration
        private let times: Times
        private let version: Int
        private let address: String
        private let port: Int
        private let isReused: Bool
        private let sendings: Int
        private let trailerLines: [UInt8]

        init(_ transfer: CurlTransfer) {
            let easy = transfer.easy
            progress = transfer.progress
            (start, waited) = (transfer.start, .nanoseconds(transfer.waited))
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
            sendings = transfer.sendings
            trailerLines = transfer.head.trailers
        }

        /// The numbers in the form that everybody knows.
        var metrics: TransferMetrics {
            // The clock's time back then, by the monotonic one.
            let age = Double(CurlClock.now - min(start, CurlClock.now)) / 1e9
            var metrics = TransferMetrics(start: Date(timeIntervalSinceNow: -age))
            func moment(_ time: Int64) -> Duration? { time > 0 ? waited + .microseconds(time) : nil }
            if !isReused, !address.isEmpty {
                metrics.nameLookUpEnd = moment(times.nameLookUp)
                metrics.connectionEnd = moment(times.connection)
                metrics.tlsEnd = moment(times.tls)
            }
            metrics.requestEnd = moment(times.request)
            metrics.firstByte = moment(times.firstByte)
            metrics.lastByte = moment(times.lastByte)
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

        /// The fields that followed the body; what is no field is left out.
        var trailers: Headers {
            var trailers = Headers()
            for line in trailerLines.split(separator: 0x0A) {
                // The obsolete continuation of a line (RFC 9112 §5.2) is no field of its own.
                if let first = line.first, HTTPSyntax.isSpace(first) { continue }
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
                let name = Self.text(line[..<colon])
                let value = Self.text(line[(colon + 1)...])
                guard HTTPSyntax.isToken(name), HTTPSyntax.isFieldValue(value) else { continue }
                trailers.append(value, for: Headers.Name(name))
            }
            return trailers
        }

        private static func text(_ bytes: ArraySlice<UInt8>) -> String {
            func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
            var bytes = bytes.drop(while: isBlank)
            while let last = bytes.last, isBlank(last) { bytes.removeLast() }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
