import Foundation

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
    /// The address of the peer with its port, such as `127.0.0.1:80` or `[::1]:80`.
    public var remoteAddress: String?
    /// Whether the connection had been used for another request before.
    public var isConnectionReused: Bool?
    /// The number of redirects that were followed in the final attempt.
    public var redirects: Int
    /// The redirects that were followed in the final attempt, in order.
    public var followedRedirects: [Redirect]
    /// The number of times that the request was sent, without redirects. Retries count. So do repetitions by libcurl
    /// after a reused connection was closed, even those of a redirect's request.
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
        /// The request that was sent, as the data source received it or as the redirect created it.
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
