#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// Undoes the codings of a body (RFC 9110 §8.4), and knows whether it came whole: libcurl takes one that was cut short
    /// for complete, and of several gzip members the first for all.
    final class CurlContentDecoder {
        /// What `Accept-Encoding` says; nil where there is no zlib, and libcurl decodes by itself.
        static let accepted: String? = {
            guard swallow_decoder_exists(SWALLOW_GZIP) else { return nil }
            return "deflate, gzip"
                + (swallow_decoder_exists(SWALLOW_BROTLI) ? ", br" : "")
                + (swallow_decoder_exists(SWALLOW_ZSTD) ? ", zstd" : "")
        }()

        private let layers: [Layer]
        private let maximumSize: Int
        /// What came out of all layers but the last.
        private var produced = 0

        /// More codings than anybody applies.
        private static let limit = 5
        private static let roomSize = 64 * 1024

        /// - Parameters:
        ///   - codings: the values of `Content-Encoding`, in the order in which they were applied.
        ///   - maximumSize: how much may come out of the layers before the last; whoever takes what comes out of that
        ///     counts it.
        /// - Returns: nil where one of them is not known.
        init?(_ codings: [String], maximumSize: Int = .max) {
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
            self.maximumSize = maximumSize
        }

        /// Whether nothing is to be undone.
        var isIdentity: Bool { layers.isEmpty }

        /// Whether what came is whole.
        var isComplete: Bool { layers.allSatisfy(\.isAtEnd) }

        /// Whether it has stopped at `maximumSize`.
        var isTooLarge: Bool { produced > maximumSize }

        /// Undoes the codings of the bytes that come next.
        ///
        /// - Parameter take: gets the outcome, in one part or several; says whether to go on.
        /// - Returns: whether the bytes were what they should be, and `take` wanted all of them.
        func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
            decode(bytes, from: 0, take)
        }

        private func decode(
            _ bytes: UnsafeRawBufferPointer, from index: Int, _ take: (UnsafeRawBufferPointer) -> Bool
        ) -> Bool {
            guard index < layers.count else { return take(bytes) }
            // What a layer makes of a few bytes, and the next one of that, would keep the loop busy for minutes.
            if index > 0 { produced += bytes.count }
            if isTooLarge { return false }
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

            init(_ coding: swallow_coding) {
                self.coding = coding
            }

            deinit {
                if let decoder { swallow_decoder_free(decoder) }
                room?.deallocate()
            }

            var isAtEnd: Bool { state == .atEnd }

            func run(
                _ input: UnsafeRawBufferPointer, room size: Int, _ take: (UnsafeRawBufferPointer) -> Bool
            ) -> Bool {
                let room = room ?? .allocate(byteCount: size, alignment: 16)
                self.room = room
                guard let start = room.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return input.isEmpty }
                var bytes = swallow_decoder_bytes(
                    in: source, in_count: input.count, out: start, out_count: room.count)
                while true {
                    guard bytes.in_count > 0 || state == .within else { return true }
                    if state != .within, let isFine = begin(&bytes) { return isFine }
                    guard let decoder else { return false }
                    let step = swallow_decoder_run(decoder, &bytes)
                    let made = room.count - bytes.out_count
                    if made > 0,
                        !take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<made]))
                    {
                        return false
                    }
                    (bytes.out, bytes.out_count) = (start, room.count)
                    switch step {
                    case SWALLOW_WANTS_MORE: return true
                    case SWALLOW_HAS_MORE: continue
                    case SWALLOW_AT_END: state = .atEnd
                    default: return false
                    }
                }
            }

            /// Gets ready for a stream; nil where it is to be read, or else what is to become of the rest.
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
