#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Glibc

    /// C strings at fixed addresses. One block of memory holds the strings and libcurl's list of them.
    // Unchecked: the memory is private, and isn't written to after `init`.
    final class CurlStrings: @unchecked Sendable {
        struct Builder {
            fileprivate var bytes: [UInt8] = []
            fileprivate var starts: [Int] = []

            init() {
                bytes.reserveCapacity(512)
                starts.reserveCapacity(12)
            }

            mutating func append(_ parts: String...) {
                starts.append(bytes.count)
                for part in parts { bytes.append(contentsOf: part.utf8) }
                bytes.append(0)
            }
        }

        private let nodes: UnsafeMutablePointer<swallow_curl_list>
        private let count: Int

        init?(_ builder: Builder) {
            count = builder.starts.count
            let offset = count * MemoryLayout<swallow_curl_list>.stride
            guard let memory = malloc(offset + builder.bytes.count + 1) else { return nil }
            nodes = memory.bindMemory(to: swallow_curl_list.self, capacity: count)
            let text = (memory + offset).bindMemory(to: CChar.self, capacity: builder.bytes.count)
            builder.bytes.withUnsafeBytes { bytes in
                if let source = bytes.baseAddress { memcpy(text, source, bytes.count) }
            }
            for (index, start) in builder.starts.enumerated() {
                let next = index + 1 < count ? nodes + (index + 1) : nil
                (nodes + index).initialize(to: swallow_curl_list(data: text + start, next: next))
            }
        }

        deinit {
            free(nodes)
        }

        subscript(index: Int) -> UnsafePointer<CChar>? {
            index < count ? UnsafePointer(nodes[index].data) : nil
        }

        func list(from index: Int) -> UnsafeMutablePointer<swallow_curl_list>? {
            index < count ? nodes + index : nil
        }
    }
#endif
