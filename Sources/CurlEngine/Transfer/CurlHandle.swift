#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    struct CurlHandle: ~Copyable {
        let easy: UnsafeMutableRawPointer
        private let commons: CurlCommons
        private let errorText: UnsafeMutablePointer<CChar>
        /// `nil` if libcurl uses no cookie jar for the transfer.
        private var cookies: CurlCookieJar?

        init?(_ commons: CurlCommons) {
            guard let easy = swallow_curl_easy_init() else { return nil }
            self.easy = easy
            self.commons = commons
            errorText = .allocate(capacity: 256)
            errorText[0] = 0
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
            errorText.deallocate()
        }

        mutating func prepare(for transfer: EasyTransfer) -> EngineFailure? {
            let request = transfer.request
            commons.options.apply(to: easy)
            commons.sockets.apply(to: easy)
            transfer.setCallbacks(of: easy)
            _ = swallow_curl_set_pointer(easy, CurlOption.errorBuffer, errorText)
            if let problem = commons.options.problem { return .invalidRequest(problem) }
            request.apply(to: easy, options: commons.options)
            if request.streamedBody?.hasTrailers == true { transfer.setTrailerCallback(of: easy) }
            // Before 7.80, no callback can withhold libcurl's cookies from a request that has its own cookies.
            let usesCookies =
                request.handlesCookies && (!request.signs.hasCookies || CurlLibrary.knowsSendings)
            cookies = usesCookies ? commons.cookies : nil
            if let cookies { cookies.attach(easy) } else { commons.share?.attach(easy) }
            return nil
        }

        func restart() {
            _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            errorText[0] = 0
        }

        /// Stops cookies during a transfer. The share stays, because the handle is using its TLS sessions.
        func withholdCookies() { cookies?.removeFiles(from: easy) }

        func restoreCookies() { cookies?.attach(easy) }

        /// Call this function before you remove an unfinished transfer's handle. If libcurl has the bug that delays the
        /// reset of the stream, it closes the connection instead, unless the connection has other streams.
        func prepareToAbort() {
            guard CurlLibrary.delaysResets else { return }
            _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
        }

        func suspendConnectTimeout() {
            _ = swallow_curl_set_long(easy, CurlOption.connectTimeout, Int(Int32.max))
        }

        func failure(of code: Int32) -> EngineFailure {
            let text = String(cString: errorText)
            let verification = swallow_curl_get_long(easy, CurlInfo.verifyResult)
            let description = text.isEmpty ? String(cString: swallow_curl_easy_error(code)) : text
            return EngineFailure(code: code, verification: verification, description)
        }
    }

    /// An object that all transfers of a loop share. Only the loop's thread uses it.
    final class CurlCommons {
        let options: CurlOptions
        let sockets: CurlSockets
        let cookies: CurlCookieJar?
        let share = CurlShare(withCookies: false)
        let pool = CurlBufferPool()
        var usesPool = false
        var streaming: [EasyTransfer] = []
        var tunnels: [EasyTransfer] = []
        var now = CurlClock.now
        var nextCheck = CurlClock.never

        init(_ configuration: EngineConfiguration, _ poller: CurlPoller) {
            sockets = CurlSockets(poller)
            options = CurlOptions(configuration)
            cookies = CurlCookieJar(configuration)
        }

        func check(by limit: UInt64) { nextCheck = min(nextCheck, limit) }
    }

    final class CurlShare {
        private let share: UnsafeMutableRawPointer

        init?(withCookies: Bool) {
            guard let share = swallow_curl_share_init() else { return nil }
            self.share = share
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
