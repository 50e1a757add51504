import Swallow

/// The transport of services that have no explicit data source.
enum StandardTransport {
    /// Whether it is libcurl. URLSession chooses its own framing: on Linux, it sends bodies in chunks, and
    /// sends a length if there is no body.
    static var isCurl: Bool {
        #if os(Linux) && canImport(Glibc)
            WebService.standardDataSource is CurlDataSource
        #else
            false
        #endif
    }
}
