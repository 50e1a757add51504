#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    /// What the handles of a loop have in common: the sessions of TLS, by which a new connection to a server that is known
    /// takes a shorter handshake, and perhaps cookies. Lives on the loop's thread, longer than its handles.
    final class CurlShare {
        private let share: UnsafeMutableRawPointer

        /// - Returns: nil where there is no memory.
        init?(withCookies: Bool) {
            guard let share = swallow_curl_share_init() else { return nil }
            self.share = share
            // One that knows no TLS refuses, and goes on without.
            _ = swallow_curl_share_set(share, CurlShareOption.share, CurlShareOption.tlsSessions)
            guard withCookies else { return }
            _ = swallow_curl_share_set(share, CurlShareOption.share, CurlShareOption.cookies)
        }

        deinit {
            swallow_curl_share_cleanup(share)
        }

        func attach(_ easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_pointer(easy, CurlOption.share, share)
        }
    }
#endif
