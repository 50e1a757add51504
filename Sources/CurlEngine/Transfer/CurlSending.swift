#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// The request of a transfer on its way out: how often it was sent, and how much of its body.
    struct CurlSending {
        /// The next bytes to send of a body.
        enum Piece {
            /// The number of bytes that were moved, and 0 at the end.
            case bytes(Int)
            case later
            case failure(EngineFailure)
        }

        enum Permission {
            case allowed
            /// The kept connection must not be used; the whole request goes over a new one.
            case stale
            case refused(EngineFailure)
        }

        private let isIdempotent: Bool
        /// A body in memory that libcurl asks for in pieces.
        private let data: Data?
        /// How often the request was sent.
        private(set) var count = 0
        /// Whether the loop has to send the request again, over a new connection.
        private(set) var isStale = false
        /// How much of the body was sent, where libcurl asks for it.
        private var sent = 0
        /// The body, where it is read while it is sent.
        private var source: (any EngineBodySource)?
        /// The fields that follow it.
        private var trailers: [(name: String, value: String)] = []

        init(_ request: CurlRequest) {
            isIdempotent = request.isIdempotent
            data = request.largeBody
            source = request.streamedBody
        }

        func start() { source?.start() }
        func cancel() { source?.cancel() }

        /// Whether there is something to send, or nothing more will come.
        var isReady: Bool { source?.isReady == true }

        /// How many bytes of the body were sent. For a streamed body this is our own count, since libcurl's includes the
        /// framing of chunks.
        func sentCount(_ easy: UnsafeMutableRawPointer) -> Int64 {
            source == nil ? swallow_curl_get_offset(easy, CurlInfo.uploaded) : Int64(sent)
        }

        /// Moves the next bytes of the body to a buffer.
        mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Piece {
            var count = 0
            if let source {
                switch source.fill(buffer) {
                case .bytes(let taken): count = taken
                case .end(let fields): trailers = fields
                case .failure(let error): return .failure(.body(error))
                case .later: return .later
                }
            } else if let data {
                count = min(buffer.count, data.count - sent)
                data[(data.startIndex + sent)...].prefix(count).copyBytes(to: buffer)
            }
            sent += count
            return .bytes(count)
        }

        /// Adds the trailers to libcurl's list.
        func addTrailers(to list: UnsafeMutablePointer<UnsafeMutablePointer<swallow_curl_list>?>) -> Int32 {
            for field in trailers {
                guard let longer = swallow_curl_list_append(list.pointee, "\(field.name): \(field.value)")
                else { return CurlSignal.trailersFailed }
                list.pointee = longer
            }
            return CurlSignal.trailersAdded
        }

        /// Decides whether libcurl may send the request now.
        ///
        /// libcurl sends a request again when a kept connection ends before the first byte of the response. The server
        /// may have handled it all the same, so here it does so for idempotent methods only, once, and on a new
        /// connection: others that were kept may have died, too.
        ///
        /// Nor is a request sent on a kept connection over which the server has said something meanwhile: a 408, say,
        /// would become its answer.
        ///
        /// - Parameter hasSpoken: whether the server has sent something since the connection's last response.
        mutating func permit(hasSpoken: Bool, _ easy: UnsafeMutableRawPointer) -> Permission {
            let isRepeat = count > 0
            if isRepeat, count > 1 || !isIdempotent {
                return .refused(.transport(.networkConnectionLost))
            }
            if isRepeat || hasSpoken, swallow_curl_get_long(easy, CurlInfo.newConnections) == 0 {
                isStale = true
                return .stale
            }
            count += 1
            return .allowed
        }

        /// Begins anew on another connection; returns why it can't.
        mutating func startAfresh() -> EngineFailure? {
            isStale = false
            return sent > 0 ? rewind(to: 0) : nil
        }

        /// Goes back in the body, for a request that is sent once more; returns why it can't.
        mutating func rewind(to offset: Int64) -> EngineFailure? {
            guard isIdempotent else { return Self.refusal("the method isn't idempotent") }
            if let source {
                guard offset == 0, let startedOver = source.startedOver() else {
                    return Self.refusal("the body goes out once")
                }
                self.source = startedOver
                sent = 0
                startedOver.start()
            } else {
                sent = min(Int(offset), data?.count ?? 0)
            }
            return nil
        }

        private static func refusal(_ reason: String) -> EngineFailure {
            .transport(
                .networkConnectionLost,
                "The connection ended before the answer, and the request isn't sent again: \(reason).")
        }
    }
#endif
