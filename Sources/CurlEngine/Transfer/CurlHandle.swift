#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    /// An easy handle, set up for one request after another. Lives on the loop's thread.
    struct CurlHandle: ~Copyable {
        let easy: UnsafeMutableRawPointer
        private let commons: CurlCommons
        private let errorText: UnsafeMutablePointer<CChar>
        /// Whether no option of an earlier request is left on the handle.
        private var isPlain = false
        private var hasCookies = false

        /// - Returns: nil where there is no memory.
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

        /// Gets ready for a request of a transfer; returns why that can't be.
        mutating func start(_ request: CurlRequest, of transfer: CurlTransfer) -> EngineFailure? {
            errorText[0] = 0
            if !isPlain {
                // libcurl 7.88 loses the list of cookie files in a reset, and the memory of the list with it.
                if hasCookies { commons.cookies?.removeFiles(from: easy) }
                swallow_curl_easy_reset(easy)
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
            // Before 7.80 nothing could hold back the engine's cookies where the request has its own.
            useCookies(request.handlesCookies && (!request.signs.hasCookies || CurlLibrary.knowsSendings))
            return nil
        }

        /// Gets ready to send the same request on a connection of its own.
        mutating func startAfresh() {
            _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            isPlain = false
            errorText[0] = 0
        }

        /// Makes libcurl send and store cookies, or do neither. No transfer may use the handle.
        private mutating func useCookies(_ isWanted: Bool) {
            guard let jar = commons.cookies, isWanted != hasCookies else { return }
            hasCookies = isWanted
            if isWanted { jar.attach(easy) } else { jar.detach(easy, to: commons.share) }
        }

        /// Stops libcurl from sending stored cookies during a transfer. The share stays, because a handle in use must not
        /// be given another one, which stores the sessions of TLS elsewhere.
        mutating func withholdCookies() {
            guard hasCookies else { return }
            commons.cookies?.removeFiles(from: easy)
            isPlain = false
        }

        /// Makes libcurl store cookies again during a transfer, in the share that it has.
        func restoreCookies() {
            if hasCookies { commons.cookies?.attach(easy) }
        }

        /// Tells the server at once that the rest isn't wanted. Where libcurl would delay the reset of a stream, the connection
        /// ends if it has no other streams. To be called before the handle is taken out.
        mutating func leave() {
            guard CurlLibrary.delaysResets else { return }
            _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
            isPlain = false
        }

        /// Keeps libcurl from ending the transfer by its own timeout during the lookup of a name.
        mutating func suspendConnectTimeout() {
            _ = swallow_curl_set_long(easy, CurlOption.connectTimeout, Int(Int32.max))
            isPlain = false
        }

        /// The failure that a code of libcurl's stands for, with the text that libcurl left.
        func failure(of code: Int32) -> EngineFailure {
            let text = String(cString: errorText)
            let verification = swallow_curl_get_long(easy, CurlInfo.verifyResult)
            let description = text.isEmpty ? String(cString: swallow_curl_easy_error(code)) : text
            return EngineFailure(code: code, verification: verification, description)
        }
    }

    /// Shared by all transfers of a loop. Lives on the loop's thread.
    final class CurlCommons {
        let options: CurlOptions
        let sockets: CurlSockets
        let cookies: CurlCookieJar?
        /// For transfers without cookies.
        let share = CurlShare(withCookies: false)
        let pool = CurlBufferPool()
        /// Whether bodies have used the pool since it was last emptied.
        var usesPool = false
        /// Transfers that have bytes or progress for their owners.
        var streaming: [CurlTransfer] = []
        /// Transfers that have more to unpack.
        var yielding: [CurlTransfer] = []
        /// The loop's time, read once for many callbacks.
        var now = CurlClock.now
        /// When to look for transfers that have taken too long: no later than the first of them.
        var nextCheck = CurlClock.never

        init(_ configuration: EngineConfiguration, _ poller: CurlPoller) {
            sockets = CurlSockets(poller)
            options = CurlOptions(configuration)
            cookies = CurlCookieJar(configuration)
        }

        func check(by limit: UInt64) { nextCheck = min(nextCheck, limit) }
    }

    /// Shares TLS sessions, and cookies where they are wanted, among the handles of a loop. With a session, a new
    /// connection to the same server takes a shorter handshake. Lives on the loop's thread, longer than its handles.
    final class CurlShare {
        private let share: UnsafeMutableRawPointer

        /// - Returns: nil where there is no memory.
        init?(withCookies: Bool) {
            guard let share = swallow_curl_share_init() else { return nil }
            self.share = share
            // A libcurl without TLS refuses this, which does no harm.
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
