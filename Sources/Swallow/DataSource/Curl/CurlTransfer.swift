#if os(Linux)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    /// An easy handle and what it receives. Made, used and freed on the loop's thread.
    ///
    /// The handle's callbacks get this object unretained. They are called inside `curl_multi_perform` and
    /// `curl_easy_pause`, while the event loop holds the transfer, and never after the handle is freed in `deinit`.
    final class CurlTransfer {
        /// The loop's time, read once for many callbacks.
        final class Clock {
            var now = CurlClock.now
        }

        let easy: UnsafeMutableRawPointer
        let clock: Clock
        private(set) var maximumSize: Int
        private let options: CurlOptions
        private(set) var exchange: CurlDataTask?
        private(set) var request: CurlRequest?
        private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

        var head = CurlHeadBuffer()
        var body: CurlBody
        /// Why a callback ended the transfer.
        var refusal: URLError.Code?
        var isPaused = false
        /// Whether the task was given the head before the end.
        var wasHeadGiven = false
        /// How often the request was sent.
        var sendings = 0
        /// How much of the request's body was sent.
        var sent = 0
        var lastActivity: UInt64 = 0
        private var idleLimit = CurlClock.never
        private var isPlain = true
        private let badArgument: Int32 = 43

        init?(_ options: CurlOptions, _ clock: Clock, _ pool: CurlBufferPool) {
            guard let easy = swallow_curl_easy_init() else { return nil }
            self.easy = easy
            self.clock = clock
            body = CurlBody(pool)
            self.options = options
            maximumSize = options.maximumSize
            setUp()
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
            errorText.deallocate()
            body.discard()
        }

        private func setUp() {
            options.apply(to: easy)
            setCallbacks()
            _ = swallow_curl_set_pointer(easy, CurlOption.errorBuffer, errorText)
            isPlain = true
        }

        /// The moment at which it has taken too long.
        var limit: UInt64 {
            isPaused ? CurlClock.never : CurlClock.moment(lastActivity, after: idleLimit)
        }

        /// Gets the handle ready; returns what is wrong with it.
        func start(_ exchange: CurlDataTask, _ request: CurlRequest) -> CurlFailure? {
            if let problem = options.problem { return .invalid(problem) }
            self.exchange = exchange
            self.request = request
            idleLimit = options.idleLimit ?? request.idleLimit
            lastActivity = clock.now
            errorText[0] = 0
            if !isPlain {
                swallow_curl_easy_reset(easy)
                setUp()
            }
            request.apply(to: easy, options: options)
            isPlain = request.isPlain
            return nil
        }

        /// Lets go of everything but the handle.
        func clear() {
            exchange = nil
            request = nil
            head = CurlHeadBuffer()
            body.discard()
            refusal = nil
            isPaused = false
            sendings = 0
            sent = 0
            maximumSize = options.maximumSize
            wasHeadGiven = false
        }

        func pause() {
            guard !isPaused else { return }
            isPaused = true
            _ = swallow_curl_easy_pause(easy, CurlSignal.pauseBoth)
        }

        /// Goes on; what was held back may end it, then with the code that is returned.
        func proceed() -> Int32 {
            guard isPaused else { return 0 }
            isPaused = false
            lastActivity = clock.now
            // Delivers what was held back, inside this call. Where there is no connection yet it only complains.
            let code = swallow_curl_easy_pause(easy, CurlSignal.proceed)
            return refusal == nil && code == badArgument ? 0 : code
        }

        /// Lets the rest of a body that nobody wants come, if it is short; says whether it is.
        func drain() -> Bool {
            let length = swallow_curl_get_offset(easy, CurlInfo.contentLength)
            guard max(Int64(body.count), length) <= Self.drainLimit else { return false }
            maximumSize = Self.drainLimit
            return proceed() == 0
        }

        private static let drainLimit = 64 * 1024

        /// Leaves a transfer that is looking up a name to itself, where taking it out would stop the loop until the
        /// name is found; says whether it did. It then ends before it connects, or before it sends.
        func abandonsLookUp() -> Bool {
            guard CurlLibrary.waitsForNames, CurlLibrary.knowsSendings, sendings == 0,
                swallow_curl_get_offset(easy, CurlInfo.nameLookUpTime) == 0
            else { return false }
            refusal = .cancelled
            swallow_curl_refuse_sockets(easy)
            isPlain = false
            return true
        }

        /// What became of it.
        func outcome(of code: Int32) -> CurlOutcome {
            if let refusal { return .failure(.refused(refusal)) }
            guard code == 0 else {
                let text = String(cString: errorText)
                let verification = swallow_curl_get_long(easy, CurlInfo.verifyResult)
                let description = text.isEmpty ? String(cString: swallow_curl_easy_error(code)) : text
                return .failure(.transfer(code, verification: verification, description))
            }
            return .response(head.bytes, body.take())
        }
    }
#endif
