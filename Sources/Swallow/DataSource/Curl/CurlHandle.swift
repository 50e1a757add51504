#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    /// An easy handle, which is set up for one request after another. Only the loop's thread uses it.
    struct CurlHandle: ~Copyable {
        let easy: UnsafeMutableRawPointer
        private let commons: CurlCommons
        private let errorText: UnsafeMutablePointer<CChar>
        /// Whether no option of an earlier request is left on the handle.
        private var isPlain = false
        private var hasCookies = false

        /// - Returns: `nil` if there is no memory.
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

        /// Sets the handle up for a request of a transfer.
        ///
        /// - Returns: The failure if the request can't be sent.
        mutating func start(_ request: CurlRequest, of transfer: CurlTransfer) -> CurlFailure? {
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
            if let problem = commons.options.problem { return .invalid(problem) }
            request.apply(to: easy, options: commons.options)
            if request.streamedBody?.hasTrailers == true { transfer.setTrailerCallback(of: easy) }
            isPlain = request.isPlain
            // Before 7.80, nothing could hold back the engine's cookies if the request has a `Cookie` field.
            useCookies(request.handlesCookies && (!request.signs.hasCookies || CurlLibrary.knowsSendings))
            return nil
        }

        /// Sets the handle up for sending the same request over a new connection.
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

        /// Makes the server stop sending at once. If libcurl would delay the reset of a stream, the connection ends, unless
        /// it has other streams. Must be called before the handle is removed.
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

        /// The failure that a code of libcurl's stands for.
        func failure(of code: Int32) -> CurlFailure {
            let text = String(cString: errorText)
            let verification = swallow_curl_get_long(easy, CurlInfo.verifyResult)
            let description = text.isEmpty ? String(cString: swallow_curl_easy_error(code)) : text
            return .transfer(code, verification: verification, description)
        }
    }

    /// What all transfers of a loop share. Only the loop's thread uses it.
    final class CurlCommons {
        let options: CurlOptions
        let sockets: CurlSockets
        let cookies: CurlCookieJar?
        /// For transfers without cookies.
        let share = CurlShare(withCookies: false)
        let pool = CurlBufferPool()
        /// Whether bodies have used the pool since it was last emptied.
        var usesPool = false
        /// The transfers that have bytes for the receivers of their tasks.
        var streaming: [CurlTransfer] = []
        /// The transfers that have more to unpack.
        var yielding: [CurlTransfer] = []
        /// The loop's time, read once for many callbacks.
        var now = CurlClock.now

        init(_ configuration: CurlDataSource.Configuration, _ poller: CurlPoller) {
            sockets = CurlSockets(poller)
            options = CurlOptions(configuration)
            cookies = CurlCookieJar(configuration)
        }
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
