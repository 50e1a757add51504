import Swallow

/// What moves the bytes of services that weren't told.
enum StandardTransport {
    /// URLSession frames bodies as it likes: on Linux in chunks, and with a length where there is no body.
    static var isCurl: Bool {
        #if os(Linux) && canImport(Glibc)
            WebService.standardDataSource is CurlDataSource
        #else
            false
        #endif
    }
}
