#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    extension CurlLibrary {
        /// Compresses bytes into one gzip member (RFC 1952). Returns `nil` if there is no zlib or not enough memory.
        package static func gzip(_ data: Data) -> Data? {
            var count = 0
            let bytes = data.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.flatMap { swallow_gzip($0, bytes.count, &count) }
            }
            return bytes.map { Data(bytesNoCopy: $0, count: count, deallocator: .free) }
        }
    }
#endif
