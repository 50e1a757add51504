import Foundation

/// A transfer's progress and, after its completion, its metrics and trailers.
package struct TransferFacts: Sendable {
    package var progress: TransferProgress
    package var metrics: TransferMetrics?
    package var trailers: Headers

    package init(
        progress: TransferProgress = TransferProgress(), metrics: TransferMetrics? = nil,
        trailers: Headers = [:]
    ) {
        (self.progress, self.metrics, self.trailers) = (progress, metrics, trailers)
    }
}

/// The progress of a transfer in both directions. It counts the bytes of bodies, without heads.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes of the request's body that were sent.
    public var sent: Int64
    /// The number of bytes of the response's body that were received, usually before a content coding was removed. A
    /// resumed download counts from the beginning of the complete file.
    public var received: Int64
    /// The size of the request's body in bytes, or `nil` if it isn't known.
    public var expectedToSend: Int64?
    /// The size of the response's body in bytes, usually from its `Content-Length`, or `nil` if it isn't known. For a
    /// resumed download, it is the size of the complete file.
    public var expectedToReceive: Int64?
    /// The offset in the complete file at which a resumed download starts (RFC 9110 §14.2). Otherwise 0.
    public var offset: Int64
    /// The recent speed in bytes per second, or `nil` if unknown. ``ServiceTask/progress`` measures it.
    public var bytesPerSecond: Double?

    /// Creates the progress of a transfer. By default, no bytes have been transferred, and the sizes are unknown.
    public init(
        sent: Int64 = 0, received: Int64 = 0, expectedToSend: Int64? = nil, expectedToReceive: Int64? = nil,
        offset: Int64 = 0
    ) {
        self.sent = sent
        self.received = received
        self.expectedToSend = expectedToSend
        self.expectedToReceive = expectedToReceive
        self.offset = offset
    }

    /// The completed fraction from 0 to 1. `nil` without a size above 0, or if a response body of unknown size arrives.
    public var fraction: Double? {
        guard let (done, total) = counts else { return nil }
        return min(1, Double(done) / Double(total))
    }

    /// The remaining time at the current speed, or `nil` if it can't be estimated.
    public var timeLeft: Duration? {
        guard let (done, total) = counts, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Duration(clamping: Double(max(0, total &- done)) / bytesPerSecond)
    }

    private var counts: (done: Int64, total: Int64)? {
        if received > 0, expectedToReceive == nil { return nil }
        var (done, total) = (Int64(0), Int64(0))
        if let expectedToSend { (done, total) = (sent, expectedToSend) }
        if let expectedToReceive { (done, total) = (done &+ received, total &+ expectedToReceive) }
        return total > 0 ? (done, total) : nil
    }
}

/// The times, sizes and addresses of a transfer. A time or an address that the data source doesn't know is `nil`.
///
/// Times are measured from ``start``, and are named as in `URLSessionTaskTransactionMetrics`. A transfer over a reused
/// connection has no name lookup, no connection setup and no TLS handshake.
public struct TransferMetrics: Sendable, Hashable {
    /// When the last request was started, after redirects and retries.
    public var start: Date
    /// When the host's name was resolved.
    public var domainLookupEnd: Duration?
    /// When the connection was open. Unlike in a `URLSession`, this excludes the TLS handshake, which follows.
    public var connectEnd: Duration?
    /// When the TLS handshake was complete.
    public var secureConnectionEnd: Duration?
    /// When the request's last byte was sent.
    public var requestEnd: Duration?
    /// When the response's first byte was received.
    public var responseStart: Duration?
    /// When the response's last byte was received.
    public var responseEnd: Duration?
    /// The number of bytes of the request's body that were sent.
    public var bytesSent: Int64
    /// The number of bytes of the response's body that were received, before a content coding was removed.
    public var bytesReceived: Int64
    /// The name of the protocol as in ALPN (RFC 7301), for example `http/1.1` or `h2`.
    public var protocolName: String?
    /// The address of the peer, usually with its port, such as `127.0.0.1:80` or `[::1]:80`.
    public var remoteAddress: String?
    /// Whether the connection had been used for another request before.
    public var isConnectionReused: Bool?
    /// The number of redirects that were followed in the final attempt.
    public var redirects: Int
    /// The redirects that were followed in the final attempt, in order.
    public var followedRedirects: [Redirect]
    /// The number of times that the request was sent, without redirects. Retries count. Since libcurl 7.80,
    /// so do libcurl's repetitions after a reused connection was closed, even those of a redirect's request.
    public var attempts: Int

    /// Creates metrics that contain only the start.
    public init(start: Date) {
        self.start = start
        bytesSent = 0
        bytesReceived = 0
        redirects = 0
        followedRedirects = []
        attempts = 1
    }
}

extension TransferMetrics {
    /// A redirect that was followed.
    public struct Redirect: Sendable, Hashable {
        /// The request that was sent, without the fields that the data source adds.
        public var request: URLRequest
        /// The head of the redirect, with its status and fields.
        public var head: HTTPURLResponse
        /// The time at which the request was started.
        public var start: Date
        /// The time from the start of the request until the redirect was followed.
        public var duration: Duration

        /// Creates a redirect that was followed.
        public init(request: URLRequest, head: HTTPURLResponse, start: Date, duration: Duration) {
            self.request = request
            self.head = head
            self.start = start
            self.duration = duration
        }
    }
}
