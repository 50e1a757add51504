#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    struct CurlHandle: ~Copyable {
        let easy: UnsafeMutableRawPointer
        private let commons: CurlCommons
        private let errorText: UnsafeMutablePointer<CChar>
        private var isNew = true
        private var isPlain = false
        private var hasCookies = false

        init?(_ commons: CurlCommons) {
            guard let easy = swallow_curl_easy_init() else { return nil }
            self.easy = easy
            self.commons = commons
            errorText = .allocate(capacity: 256)
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
            errorText.deallocate()
        }

        mutating func start(_ request: CurlRequest, of transfer: EasyTransfer) -> EngineFailure? {
            errorText[0] = 0
            if !isPlain {
                // libcurl 7.88 loses the list of cookie files in a reset, and leaks the list's memory.
                if hasCookies { commons.cookies?.removeFiles(from: easy) }
                if !isNew { swallow_curl_easy_reset(easy) }
                isNew = false
                commons.options.apply(to: easy)
                commons.sockets.apply(to: easy)
                transfer.setCallbacks(of: easy)
                _ = swallow_curl_set_pointer(easy, CurlOption.errorBuffer, errorText)
                if hasCookies { commons.cookies?.attach(easy) } else { commons.share?.attach(easy) }
                isPlain = true
            }
            if let problem = commons.options.problem { return .invalidRequest(problem) }
            request.apply(to: easy, options: commons.options)
            if request.streamedBody?.hasTrailers == true { transfer.setTrailerCallback(of: easy) }
            isPlain = request.isPlain
            // Before 7.80, no callback can withhold libcurl's cookies from a request that has its own cookies.
            useCookies(request.handlesCookies && (!request.signs.hasCookies || CurlLibrary.knowsSendings))
            return nil
        }

        mutating func restart() {
            _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            isPlain = false
            errorText[0] = 0
        }

        private mutating func useCookies(_ isWanted: Bool) {
            guard let jar = commons.cookies, isWanted != hasCookies else { return }
            hasCookies = isWanted
            if isWanted { jar.attach(easy) } else { jar.detach(easy, to: commons.share) }
        }

        /// Stops cookies during a transfer. The share stays, because the handle is using its TLS sessions.
        mutating func withholdCookies() {
            guard hasCookies else { return }
            commons.cookies?.removeFiles(from: easy)
            isPlain = false
        }

        func restoreCookies() {
            if hasCookies { commons.cookies?.attach(easy) }
        }

        /// Call this function before you remove an unfinished transfer's handle. If libcurl has the bug that delays the
        /// reset of the stream, it closes the connection instead, unless the connection has other streams.
        mutating func prepareToAbort() {
            guard CurlLibrary.delaysResets else { return }
            _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
            isPlain = false
        }

        mutating func suspendConnectTimeout() {
            _ = swallow_curl_set_long(easy, CurlOption.connectTimeout, Int(Int32.max))
            isPlain = false
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
