#if os(Linux) && canImport(Glibc)
    import Foundation

    /// An HTTP request for the loop.
    package struct EngineRequest: Sendable {
        package enum Body: Sendable {
            case none
            case data(Data)
            case source(any EngineBodySource)
        }

        package var url: String
        package var method = "GET"
        package var fields: [(name: String, value: String)] = []
        package var body = Body.none
        /// The timeout of a transfer that sends and receives no byte, in seconds. There is no timeout if the value
        /// isn't positive.
        package var idleTimeout = 60.0
        /// Whether cookies are sent and stored.
        package var handlesCookies = true

        package init(url: String) {
            self.url = url
        }
    }

    /// A request's body that is read while it is sent. The loop never waits for its bytes.
    package protocol EngineBodySource: AnyObject, Sendable {
        /// The length of the body in bytes, or `nil` if the length is unknown.
        var length: Int64? { get }
        /// Whether fields may follow the body.
        var hasTrailers: Bool { get }
        /// Whether `fill` would return anything but `.later`.
        var isReady: Bool { get }
        /// Starts to read ahead.
        func start()
        /// Moves the next bytes to a buffer.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> EngineBodyPiece
        func cancel()
        /// Cancels this source. Returns a source for the same body from its beginning, or `nil` if the body can't be
        /// sent again.
        func startedOver() -> (any EngineBodySource)?
    }

    package enum EngineBodyPiece: Sendable {
        /// The number of bytes that were moved.
        case bytes(Int)
        /// No bytes are available yet. When bytes are available, `EngineTransfer.continueBody()` is called.
        case later
        case end(trailers: [(name: String, value: String)])
        case failure(any Error)
    }
#endif
