#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    /// The libcurl that this process has.
    enum CurlLibrary {
        /// Its version as `0xXXYYZZ`; nil where there is none, or one that is too old: 7.68 is the oldest that any
        /// supported distribution has, and without threads or c-ares for names the event loop would wait for them.
        static let version: UInt32? = {
            let version = swallow_curl_load()
            guard version >= 0x07_44_00, swallow_curl_features() & Feature.asynchronousNames != 0 else {
                return nil
            }
            // Older ones don't lock curl_global_init, which FoundationNetworking calls too, once, before this.
            if swallow_curl_features() & Feature.threadSafe == 0 { _ = URLSession.shared }
            guard swallow_curl_global_init() == 0 else { return nil }
            CurlLoops.stopAtExit()
            return version
        }()

        /// Its version as text.
        static let versionText = version == nil ? "" : String(cString: swallow_curl_version_text())

        /// Whether it can tell before each sending of a request.
        static let knowsSendings = (version ?? 0) >= 0x07_50_00

        /// Whether taking a transfer out waits for the name that it is looking up; later ones have
        /// `CURLOPT_QUICK_EXIT`.
        static let waitsForNames = (version ?? 0) < 0x07_57_00

        /// Whether the reset of an HTTP/2 stream waits until something else is sent over its connection (curl's issue
        /// 17611).
        static let delaysResets = (0x07_58_00..<0x08_0F_00).contains(version ?? 0)

        /// Whether HTTP/2 without TLS fails from a connection's second request on (curl's issue 10634).
        static let breaksPriorKnowledge = (0x07_58_00..<0x08_00_00).contains(version ?? 0)

        private enum Feature {
            static let asynchronousNames: UInt32 = 1 << 7
            static let threadSafe: UInt32 = 1 << 30
        }
    }
#endif
