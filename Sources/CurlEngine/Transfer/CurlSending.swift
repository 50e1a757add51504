#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    struct CurlSending {
        enum Permission {
            case allowed
            /// The reused connection must not be used. The complete request is sent over a new connection.
            case stale
            case failed(EngineFailure)
        }

        private let isIdempotent: Bool
        private let data: Data?
        private(set) var count = 0
        private(set) var isStale = false
        private var sent = 0
        private(set) var source: (any EngineBodySource)?
        private var trailers: [(name: String, value: String)] = []

        init(_ request: CurlRequest) {
            isIdempotent = request.isIdempotent
            data = request.largeBody
            source = request.streamedBody
        }

        func start() { source?.start() }

        var isReady: Bool { source?.isReady == true }

        /// libcurl's own count of a streamed body would include the framing of chunks.
        func sentCount(_ easy: UnsafeMutableRawPointer) -> Int64 {
            source == nil ? swallow_curl_get_offset(easy, CurlInfo.uploaded) : Int64(sent)
        }

        mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
            let rest = data?.dropFirst(sent).prefix(buffer.count) ?? Data()
            let piece = source?.fill(buffer) ?? .bytes(rest.copyBytes(to: buffer))
            switch piece {
            case .bytes(let count): sent += count
            case .end(let fields): trailers = fields
            case .failure, .later: break
            }
            return piece
        }

        func addTrailers(to list: UnsafeMutablePointer<UnsafeMutablePointer<swallow_curl_list>?>) -> Int32 {
            for field in trailers {
                guard let longer = swallow_curl_list_append(list.pointee, "\(field.name): \(field.value)")
                else { return CurlSignal.trailersFailed }
                list.pointee = longer
            }
            return CurlSignal.trailersAdded
        }

        /// Decides whether libcurl may send the request now. libcurl repeats it if a reused connection ends before the
        /// response begins. The server may have handled it, so it is repeated only once, if idempotent, on a new
        /// connection. A reused connection with unread bytes isn't used, because they would be taken for the response.
        mutating func permit(hasSentBytes: Bool, _ easy: UnsafeMutableRawPointer) -> Permission {
            let isRepeat = count > 0
            if isRepeat, count > 1 || !isIdempotent {
                return .failed(.transport(.networkConnectionLost))
            }
            if isRepeat || hasSentBytes, swallow_curl_get_long(easy, CurlInfo.newConnections) == 0 {
                isStale = true
                return .stale
            }
            count += 1
            return .allowed
        }

        mutating func restart() -> EngineFailure? {
            isStale = false
            return sent > 0 ? rewind(to: 0) : nil
        }

        mutating func rewind(to offset: Int64) -> EngineFailure? {
            guard isIdempotent else { return Self.repeatFailure("its method isn't idempotent") }
            if let source {
                guard offset == 0, let startedOver = source.startedOver() else {
                    return Self.repeatFailure("its body can be sent only once")
                }
                self.source = startedOver
                sent = 0
                startedOver.start()
            } else {
                sent = min(Int(offset), data?.count ?? 0)
            }
            return nil
        }

        private static func repeatFailure(_ reason: String) -> EngineFailure {
            .transport(
                .networkConnectionLost,
                "The connection was closed before a response arrived. The request wasn't sent again because \(reason)."
            )
        }
    }
#endif
