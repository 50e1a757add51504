#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    /// What the transfers of a loop have in common. Lives on its thread.
    final class CurlCommons {
        let options: CurlOptions
        let sockets: CurlSockets
        let cookies: CurlCookieJar?
        /// For transfers without cookies.
        let share = CurlShare(withCookies: false)
        let pool = CurlBufferPool()
        /// Those that have bytes for the receivers of their tasks.
        var streaming: [CurlTransfer] = []
        /// Those that have more to unpack.
        var yielding: [CurlTransfer] = []
        /// The loop's time, read once for many callbacks.
        var now = CurlClock.now

        init(_ configuration: CurlDataSource.Configuration, _ poller: CurlPoller) {
            sockets = CurlSockets(poller)
            options = CurlOptions(configuration)
            cookies = CurlCookieJar(configuration.cookies)
        }
    }

    /// An easy handle and what it receives. Made, used and freed on the loop's thread.
    ///
    /// The handle's callbacks get this object unretained. They are called inside `curl_multi_socket_action`
    /// and `curl_easy_pause`, while the event loop holds the transfer, and never after the handle is freed in `deinit`.
    final class CurlTransfer {
        let easy: UnsafeMutableRawPointer
        let commons: CurlCommons
        private(set) var maximumSize: Int
        /// Until when a body may be claimed that is too long for memory.
        var claimLimit = CurlClock.never
        private(set) var task: CurlDataTask?
        private(set) var request: CurlRequest?
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

        var head: CurlHeadBuffer
        var body: CurlBody
        /// What undoes the body's codings; nil where it has none.
        var decoder: CurlContentDecoder?
        /// For a body that ends with a connection over TLS.
        var tlsWatch: OpaquePointer?
        /// Why a callback ended the transfer.
        var refusal: CurlFailure?
        var pauses = CurlPauses()
        /// Whether the task was given the head before the end.
        var wasHeadGiven = false
        /// Whether the body comes in parts from here on.
        private(set) var isStreamed = false
        /// Whether the task is told how far it is.
        private(set) var tellsProgress = false
        /// Whether the task is to be told the head of a success before its body has ended.
        var wantsHead = false
        /// Whether it is among those that have bytes for their receivers.
        var isListed = false
        /// Whether libcurl is done with it; what is kept of a compressed body may still be to come.
        var isOver = false
        /// How many bytes of the body came, before its codings were undone.
        var received: Int64 = 0
        /// How often the request was sent.
        var sendings = 0
        /// How much of the request's body was sent, where libcurl asks for it.
        var sent = 0
        /// The request's body, where it is read while it is sent.
        var streamedBody: BodyPipe?
        /// The fields that follow it.
        var requestTrailers: Headers = [:]
        /// The connection's socket, once the request is sent.
        var socket: Int32?
        /// Whether nothing was sent over a kept connection, and all is to be sent over a new one.
        var isStale = false
        private(set) var start: UInt64 = 0
        /// How long it waited for a connection, in nanoseconds.
        private(set) var waited: UInt64 = 0
        /// Whose connection it has; nil where others may share it.
        var host: CurlQueue.Host?
        var lastActivity: UInt64 = 0
        private(set) var idleLimit = CurlClock.never
        private var isPlain = true
        private var hasCookies = false
        private let badArgument: Int32 = 43

        init?(_ commons: CurlCommons) {
            guard let easy = swallow_curl_easy_init() else { return nil }
            self.easy = easy
            self.commons = commons
            head = CurlHeadBuffer(commons.options.headLimits)
            body = CurlBody(commons.pool)
            maximumSize = commons.options.maximumSize
            setUp()
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
            errorText.deallocate()
            body.discard()
        }

        private func setUp() {
            commons.options.apply(to: easy)
            commons.sockets.apply(to: easy)
            if !hasCookies { commons.share?.attach(easy) }
            setCallbacks()
            _ = swallow_curl_set_pointer(easy, CurlOption.errorBuffer, errorText)
            isPlain = true
        }

        /// The moment at which it has taken too long.
        var limit: UInt64 {
            if pauses.awaitsClaim { return claimLimit }
            if pauses.isAny || refusal != nil { return CurlClock.never }
            return CurlClock.moment(lastActivity, after: idleLimit)
        }

        /// The failure of a transfer whose time is over.
        var lateness: CurlFailure {
            if pauses.awaitsClaim {
                return .refused(.dataLengthExceedsMaximum, ResponseSize.problem(over: maximumSize))
            }
            return .refused(.timedOut, "no byte came for \(Double(idleLimit) / 1e9) seconds")
        }

        /// Gets the handle ready; returns what is wrong with it.
        ///
        /// - Parameter start: when the request came, which may have had to wait.
        func start(_ task: CurlDataTask, _ request: CurlRequest, since start: UInt64) -> CurlFailure? {
            if let problem = commons.options.problem { return .invalid(problem) }
            self.task = task
            self.request = request
            idleLimit = commons.options.idleLimit ?? request.idleLimit
            (self.start, waited) = (start, commons.now - start)
            lastActivity = start
            errorText[0] = 0
            if !isPlain {
                swallow_curl_easy_reset(easy)
                setUp()
                if hasCookies { commons.cookies?.attach(easy) }
            }
            request.apply(to: easy, options: commons.options)
            streamedBody = request.streamedBody
            if let streamedBody {
                streamedBody.start()
                if streamedBody.hasTrailers { setTrailers() }
            }
            isPlain = request.isPlain
            // Before 7.80 nothing could hold back the engine's cookies where the request has its own.
            useCookies(request.handlesCookies && (!request.signs.hasCookies || CurlLibrary.knowsSendings))
            return nil
        }

        /// Gets the handle ready to be sent on a connection of its own.
        func startAfresh() {
            _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            isPlain = false
            isStale = false
            errorText[0] = 0
            // What can't be begun anew is then refused.
            if sent > 0 { _ = rewind(to: 0, from: SEEK_SET) }
        }

        /// Has the server learn at once that nobody wants the rest: where libcurl would keep the reset of a stream for
        /// itself, a connection without other streams ends. To be called before it is taken out.
        func leave() {
            guard CurlLibrary.delaysResets else { return }
            _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
            isPlain = false
        }

        /// Has libcurl send and keep cookies, or do neither.
        func useCookies(_ isWanted: Bool) {
            guard let jar = commons.cookies, isWanted != hasCookies else { return }
            hasCookies = isWanted
            if isWanted { jar.attach(easy) } else { jar.detach(easy, to: commons.share) }
        }

        /// Lets go of everything but the handle.
        func clear() {
            task = nil
            request = nil
            head = CurlHeadBuffer(commons.options.headLimits)
            body.discard()
            decoder = nil
            _ = hasEndedTLS()
            refusal = nil
            pauses = CurlPauses()
            sendings = 0
            sent = 0
            streamedBody?.cancel()
            streamedBody = nil
            requestTrailers = [:]
            socket = nil
            isStale = false
            maximumSize = commons.options.maximumSize
            wasHeadGiven = false
            isStreamed = false
            tellsProgress = false
            wantsHead = false
            isListed = false
            isOver = false
            received = 0
        }

        func pause() {
            pauses.isSuspended = true
            _ = applyPauses()
        }

        /// Goes on; what was held back may end it, then with the code that is returned.
        ///
        /// - Parameter isFull: whether parts wait to be taken.
        func proceed(isFull: Bool = false) -> Int32 {
            pauses.isSuspended = false
            pauses.isFull = isFull
            if pauses.awaitsBody, streamedBody?.isReady == true || stopsSending { pauses.awaitsBody = false }
            if !isFull, let code = decodeMore() { return code }
            return applyPauses()
        }

        /// Tells libcurl what is paused, where that has changed. What was held back comes inside this call, and may end the
        /// transfer with the code that is returned.
        func applyPauses() -> Int32 {
            guard let mask = pauses.takeMask() else { return 0 }
            lastActivity = commons.now
            // Where there is no connection yet it only complains.
            let code = swallow_curl_easy_pause(easy, mask)
            return refusal == nil && code == badArgument ? 0 : code
        }

        /// Whether the rest of the request's body isn't wanted any more: libcurl stops sending at a head that refuses it, but not
        /// while it waits for bytes.
        var stopsSending: Bool { head.isComplete && head.status >= 300 }

        /// Lets the rest of an unwanted body come, if it is short; says whether it is.
        func drain() -> Bool {
            let length = mayHaveBody ? swallow_curl_get_offset(easy, CurlInfo.contentLength) : 0
            guard max(Int64(body.count), length) <= Exchange.drainLimit else { return false }
            maximumSize = Exchange.drainLimit
            isStreamed = false
            return proceed() == 0
        }

        /// Does what the task wants beyond its body: gives it parts from here on, or tells it how far it is.
        func apply(_ wishes: CurlDataTask.Wishes) {
            if wishes.head, !head.isComplete { wantsHead = true }
            if wishes.progress, !tellsProgress {
                tellsProgress = true
                deliverSoon()
            }
            guard wishes.parts, !isStreamed else { return }
            isStreamed = true
            pauses.awaitsClaim = false
            deliverSoon()
            if head.isComplete { giveHead() }
        }

        /// Leaves a transfer that is looking up a name to itself, where taking it out would stop the loop until the
        /// name is found; says whether it did. It then ends before it connects, or before it sends.
        func abandonsLookUp() -> Bool {
            guard CurlLibrary.waitsForNames, CurlLibrary.knowsSendings, sendings == 0,
                swallow_curl_get_offset(easy, CurlInfo.nameLookUpTime) == 0
            else { return false }
            refusal = .refused(.cancelled)
            commons.sockets.refuse(easy)
            isPlain = false
            return true
        }

        /// What became of it.
        func outcome(of code: Int32) -> CurlOutcome {
            if head.cookies > 0 { commons.cookies?.noteReceived(head.cookies) }
            if let failure = failure(of: code) { return .failure(failure, head: completeHead) }
            if let socket, head.isHTTP1 { commons.sockets.markQuiet(socket) }
            return .response(head.bytes, body.take())
        }

        /// The lines of the head; nil while there are more to come.
        var completeHead: [UInt8]? { head.isComplete ? head.bytes : nil }

        private func failure(of code: Int32) -> CurlFailure? {
            if let refusal { return refusal }
            if code != 0 { return failure(code) }
            guard head.isComplete else {
                return .refused(.networkConnectionLost, "The connection ended within the head.")
            }
            guard hasEndedTLS() else {
                return .refused(.networkConnectionLost, "The connection ended before TLS did.")
            }
            return isWhole ? nil : .refused(.cannotDecodeContentData, "The compressed body ends too early.")
        }

        private func failure(_ code: Int32) -> CurlFailure {
            // libcurl has no memory for what is larger than its own limits.
            if !head.isComplete, sendings > 0, code == 27 || code == 100 {
                let text = "A field of the response's head has more than the 100 KB that libcurl takes."
                return .refused(.badServerResponse, text)
            }
            let text = String(cString: errorText)
            let verification = swallow_curl_get_long(easy, CurlInfo.verifyResult)
            let description = text.isEmpty ? String(cString: swallow_curl_easy_error(code)) : text
            return .transfer(code, verification: verification, description)
        }

        /// Whether a body that ends with a connection over TLS may be whole (RFC 9112 §9.8); an older OpenSSL, or a libcurl
        /// between it and the socket, takes any end for one.
        private func hasEndedTLS() -> Bool {
            guard let watch = tlsWatch.take() else { return true }
            return swallow_curl_end_tls_watch(watch)
        }

        /// Whether the body's codings came to their end; an empty body has none, unless it may have been cut short.
        private var isWhole: Bool {
            if let decoder { return decoder.isComplete }
            guard endsWithConnection, received == 0 else { return true }
            return CurlContentDecoder(head.framing.codings)?.isIdentity == true
        }

        /// Whether nothing but the connection's end says where the body ends (RFC 9112 §6.3).
        var endsWithConnection: Bool {
            head.framing.endsWithConnection && head.isHTTP1 && mayHaveBody
        }

        /// Whether the fields that tell of a body mean one of this response (RFC 9112 §6.3).
        var mayHaveBody: Bool { request?.isHead != true && head.status != 204 && head.status != 304 }
    }
#endif
