#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// Decodes content codings (RFC 9110 §8.4). Unlike libcurl, it rejects truncated bodies.
    final class CurlContentDecoder {
        /// The value of `Accept-Encoding`. `nil` if there is no zlib, because libcurl then decodes the bodies.
        static let accepted: String? = {
            guard swallow_decoder_exists(SWALLOW_GZIP) else { return nil }
            return "deflate, gzip"
                + (swallow_decoder_exists(SWALLOW_BROTLI) ? ", br" : "")
                + (swallow_decoder_exists(SWALLOW_ZSTD) ? ", zstd" : "")
        }()

        private let layers: [Layer]
        /// The number of bytes that all layers but the last have produced, and the number that the last has produced.
        private var (between, outcome) = (0, 0)

        private static let limit = 5
        private static let roomSize = 64 * 1024
        /// The number of bytes that may pass between the layers while the last layer produces nothing.
        private static let slack = 1024 * 1024

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

        var isIdentity: Bool { layers.isEmpty }

        var isComplete: Bool { layers.allSatisfy(\.isAtEnd) }

        /// Whether the body looks like a decompression bomb. A few bytes of empty blocks could otherwise take minutes.
        private var isExcessive: Bool { (between - Self.slack) / Self.limit > outcome }

        var failure: EngineFailure {
            .transport(
                .cannotDecodeContentData,
                isExcessive
                    ? "The body looks like a decompression bomb."
                    : "The body doesn't match its Content-Encoding.")
        }

        enum Flow {
            case more
            case pause
            case stop
        }

        var isPaused: Bool { layers.contains(where: \.isPaused) }

        func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
            decode(bytes, from: 0, take)
        }

        func proceed(_ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
            for index in layers.indices.reversed() where layers[index].isPaused {
                let flow = layers[index].proceed(room: Self.roomSize) { decode($0, from: index + 1, take) }
                guard case .more = flow else { return flow }
            }
            return .more
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

        private final class Layer {
            private enum State {
                case fresh
                case within
                case atEnd
            }

            private let coding: swallow_coding
            private var decoder: OpaquePointer?
            private var room: UnsafeMutableRawBufferPointer?
            private var state = State.fresh
            private var remainingInput: [UInt8] = []
            private(set) var isPaused = false

            init(_ coding: swallow_coding) {
                self.coding = coding
            }

            deinit {
                if let decoder { swallow_decoder_free(decoder) }
                room?.deallocate()
            }

            var isAtEnd: Bool { state == .atEnd }

            func proceed(room size: Int, _ take: (UnsafeRawBufferPointer) -> Flow) -> Flow {
                isPaused = false
                let input = remainingInput
                remainingInput = []
                return input.withUnsafeBytes { run($0, room: size, take) }
            }

            func run(
                _ input: UnsafeRawBufferPointer, room size: Int, _ take: (UnsafeRawBufferPointer) -> Flow
            ) -> Flow {
                if isPaused {
                    remainingInput += input
                    return .pause
                }
                let room = room ?? .allocate(byteCount: size, alignment: 16)
                self.room = room
                guard let start = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return .stop }
                let source =
                    input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(start)
                var bytes = swallow_decoder_bytes(
                    in: source, in_count: input.count, out: start, out_count: room.count)
                while true {
                    guard bytes.in_count > 0 || state == .within else { return .more }
                    if state != .within, let isFine = begin(&bytes) { return isFine ? .more : .stop }
                    guard let decoder else { return .stop }
                    let step = swallow_decoder_run(decoder, &bytes)
                    let made = room.count - bytes.out_count
                    let output = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<made])
                    let flow = made > 0 ? take(output) : .more
                    if case .stop = flow { return .stop }
                    (bytes.out, bytes.out_count) = (start, room.count)
                    switch step {
                    case SWALLOW_WANTS_MORE: return flow
                    case SWALLOW_HAS_MORE: break
                    case SWALLOW_AT_END: state = .atEnd
                    default: return .stop
                    }
                    if case .pause = flow {
                        storeRemaining(UnsafeBufferPointer(start: bytes.in, count: bytes.in_count))
                        return .pause
                    }
                }
            }

            private func storeRemaining(_ rest: UnsafeBufferPointer<UInt8>) {
                guard !rest.isEmpty || state == .within else { return }
                remainingInput = Array(rest)
                isPaused = true
            }

            private func begin(_ bytes: inout swallow_decoder_bytes) -> Bool? {
                if state == .fresh {
                    // Some servers omit zlib's frame (RFC 9110 §8.4.1.2). Its first byte has 8 in the low four bits.
                    let isRaw = coding == SWALLOW_DEFLATE && bytes.in[0] & 0x0F != 8
                    decoder = swallow_decoder_make(coding, isRaw)
                } else {
                    // gzip itself treats zeros after a stream as padding.
                    while bytes.in_count > 0, bytes.in[0] == 0, coding == SWALLOW_GZIP {
                        bytes.in += 1
                        bytes.in_count -= 1
                    }
                    if bytes.in_count == 0 { return true }
                    // Several gzip members may follow one another (RFC 1952 §2.2).
                    guard let decoder, swallow_decoder_restart(decoder) else { return false }
                }
                state = .within
                return nil
            }
        }
    }
#endif
