#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// Undoes the content codings of a body (RFC 9110 §8.4), and knows whether it was complete. libcurl accepts a body that
    /// was cut short, and stops after the first of several gzip members.
    final class CurlContentDecoder {
        /// The value of `Accept-Encoding`; nil where there is no zlib, so that libcurl decodes by itself.
        static let accepted: String? = {
            guard swallow_decoder_exists(SWALLOW_GZIP) else { return nil }
            return "deflate, gzip"
                + (swallow_decoder_exists(SWALLOW_BROTLI) ? ", br" : "")
                + (swallow_decoder_exists(SWALLOW_ZSTD) ? ", zstd" : "")
        }()

        private let layers: [Layer]
        /// How many bytes came out of all layers but the last, and how many out of the last.
        private var (between, outcome) = (0, 0)

        /// The most codings that a body may have: more than servers apply.
        private static let limit = 5
        private static let roomSize = 64 * 1024
        /// How many bytes may pass between the layers before any come out of the last.
        private static let slack = 1024 * 1024

        /// - Parameter codings: the values of `Content-Encoding`, in the order in which they were applied.
        /// - Returns: nil where one of them is not known.
        init?(_ codings: [String]) {
            var layers: [Layer] = []
            for coding in codings.reversed() {
                switch coding.lowercased() {
                case "identity", "none", "": continue
                case "gzip", "x-gzip": layers.append(Layer(SWALLOW_GZIP))
                case "deflate": layers.append(Layer(SWALLOW_DEFLATE))
                case "br" where swallow_decoder_exists(SWALLOW_BROTLI): layers.append(Layer(SWALLOW_BROTLI))
                case "zstd" where swallow_decoder_exists(SWALLOW_ZSTD): layers.append(Layer(SWALLOW_ZSTD))
                default: return nil
                }
            }
            guard layers.count <= Self.limit else { return nil }
            self.layers = layers
        }

        /// Whether there is no coding to undo.
        var isIdentity: Bool { layers.isEmpty }

        /// Whether the body was complete.
        var isComplete: Bool { layers.allSatisfy(\.isAtEnd) }

        /// Whether far more bytes pass between the layers than come out of the last. A few bytes, with empty blocks in the
        /// innermost layer, could mean minutes of work. In an honest body, no layer gives more than the last.
        private var isExcessive: Bool { (between - Self.slack) / Self.limit > outcome }

        /// Why it stopped.
        var failure: EngineFailure {
            .transport(
                .cannotDecodeContentData,
                isExcessive
                    ? "The codings of the body make much of one another, and little comes of it."
                    : "The body is not what Content-Encoding says.")
        }

        /// How the decoder goes on after some bytes.
        enum Flow {
            case goOn
            /// The rest is kept, as it came, until `proceed`.
            case hold
            case stop
        }

        /// Whether it keeps bytes that wait for `proceed`.
        var isHolding: Bool { layers.contains(where: \.isHolding) }

        /// Undoes the codings of the bytes that come next.
        ///
        /// - Parameter take: gets the outcome, in one part or several, and says whether to go on.
        /// - Returns: `.stop` where the bytes are malformed, or `take` returned it.
        func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
            decode(bytes, from: 0, take)
        }

        /// Goes on with the bytes that it keeps, beginning with the layer closest to the output.
        func proceed(_ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
            for index in layers.indices.reversed() where layers[index].isHolding {
                let flow = layers[index].proceed(room: Self.roomSize) { decode($0, from: index + 1, take) }
                guard case .goOn = flow else { return flow }
            }
            return .goOn
        }

        private func decode(
            _ bytes: UnsafeRawBufferPointer, from index: Int, _ take: (UnsafeRawBufferPointer) -> Flow
        ) -> Flow {
            guard index < layers.count else {
                outcome += bytes.count
                return take(bytes)
            }
            if index > 0 { between += bytes.count }
            if isExcessive { return .stop }
            return layers[index].run(bytes, room: Self.roomSize) { decode($0, from: index + 1, take) }
        }

        /// One coding.
        private final class Layer {
            private enum State {
                /// Nothing has come yet.
                case fresh
                case within
                /// At the end of a stream; another may follow.
                case atEnd
            }

            private let coding: swallow_coding
            private var decoder: OpaquePointer?
            private var room: UnsafeMutableRawBufferPointer?
            private var state = State.fresh
            /// Input that has yet to be decoded, since the receiver of the output wants no more for now.
            private var kept: [UInt8] = []
            private(set) var isHolding = false

            init(_ coding: swallow_coding) {
                self.coding = coding
            }

            deinit {
                if let decoder { swallow_decoder_free(decoder) }
                room?.deallocate()
            }

            var isAtEnd: Bool { state == .atEnd }

            /// Goes on with the kept input. Even if that is empty, the decoder may have more output.
            func proceed(room size: Int, _ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
                isHolding = false
                let input = kept
                kept = []
                return input.withUnsafeBytes { run($0, room: size, take) }
            }

            func run(
                _ input: UnsafeRawBufferPointer, room size: Int, _ take: (UnsafeRawBufferPointer) -> Flow
            ) -> Flow {
                if isHolding {
                    kept += input
                    return .hold
                }
                let room = room ?? .allocate(byteCount: size, alignment: 16)
                self.room = room
                guard let start = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .stop }
                let source =
                    input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(start)
                var bytes = swallow_decoder_bytes(
                    in: source, in_count: input.count, out: start, out_count: room.count)
                while true {
                    guard bytes.in_count > 0 || state == .within else { return .goOn }
                    if state != .within, let isFine = begin(&bytes) { return isFine ? .goOn : .stop }
                    guard let decoder else { return .stop }
                    let step = swallow_decoder_run(decoder, &bytes)
                    let made = room.count - bytes.out_count
                    let output = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<made])
                    let flow = made > 0 ? take(output) : .goOn
                    if case .stop = flow { return .stop }
                    (bytes.out, bytes.out_count) = (start, room.count)
                    switch step {
                    case SWALLOW_WANTS_MORE: return flow
                    case SWALLOW_HAS_MORE: break
                    case SWALLOW_AT_END: state = .atEnd
                    default: return .stop
                    }
                    if case .hold = flow {
                        keep(UnsafeBufferPointer(start: bytes.in, count: bytes.in_count))
                        return .hold
                    }
                }
            }

            private func keep(_ rest: UnsafeBufferPointer<UInt8>) {
                guard !rest.isEmpty || state == .within else { return }
                kept = Array(rest)
                isHolding = true
            }

            /// Starts the next stream, and returns nil. Without one, returns whether the rest was mere padding.
            private func begin(_ bytes: inout swallow_decoder_bytes) -> Bool? {
                if state == .fresh {
                    // Some servers leave zlib's frame out (RFC 9110 §8.4.1.2): its first byte says 8 for the method.
                    let isRaw = coding == SWALLOW_DEFLATE && bytes.in[0] & 0x0F != 8
                    decoder = swallow_decoder_make(coding, isRaw)
                } else {
                    // gzip itself takes zeros behind a stream for padding.
                    while bytes.in_count > 0, bytes.in[0] == 0, coding == SWALLOW_GZIP {
                        bytes.in += 1
                        bytes.in_count -= 1
                    }
                    if bytes.in_count == 0 { return true }
                    // RFC 1952 §2.2: members follow one another.
                    guard let decoder, swallow_decoder_restart(decoder) else { return false }
                }
                state = .within
                return nil
            }
        }
    }
#endif
