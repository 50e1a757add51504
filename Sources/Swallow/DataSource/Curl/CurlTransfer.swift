#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// A transfer through libcurl. The loop's thread creates, uses and frees it.
    ///
    /// The handle, the request, the response and the pauses are separate values. libcurl's callbacks and the event loop
    /// change them.
    final class CurlTransfer {
        // Declared first, so that it is freed first. This may close sockets, which `commons` must still know.
        var handle: CurlHandle
        let commons: CurlCommons
        private(set) var task: CurlDataTask?
        var sending: CurlSending?
        var response: CurlResponse
        var pauses = CurlPauses()
        /// What the task wants in addition to the complete body.
        var wishes = CurlDataTask.Wishes()
        /// Why a callback ended the transfer.
        private(set) var refusal: CurlFailure?
        /// The lookup of the name to connect to. Only noted if `CurlLibrary.waitsForNames`.
        var lookup = Lookup.notBegun
        /// The connection's socket, once the request is sent.
        var socket: Int32?
        /// Whether libcurl's cookies are held back, until the head comes.
        var withholdsCookies = false
        /// Whether it is in `commons.streaming`.
        private var isListed = false
        /// Whether libcurl has completed the transfer. A decoder may still hold a part of the body.
        private var isOver = false
        /// The time at which the request arrived, and how long it waited for a connection, in nanoseconds.
        private var (start, waited): (UInt64, UInt64) = (0, 0)
        /// The host of a connection that the transfer doesn't share, or `nil`.
        var host: CurlQueue.Host?

        init?(_ commons: CurlCommons) {
            guard let handle = CurlHandle(commons) else { return nil }
            self.handle = handle
            self.commons = commons
            response = CurlResponse(commons)
        }

        deinit {
            response.discard()
        }

        /// Prepares the transfer for a request.
        ///
        /// - Parameter start: The time at which the request arrived, before it waited for a connection.
        /// - Returns: The failure if the request can't be sent.
        func start(
            _ task: CurlDataTask, _ request: CurlRequest, since start: UInt64, idleSince idleStart: UInt64
        ) -> CurlFailure? {
            if let failure = handle.start(request, of: self) { return failure }
            self.task = task
            (self.start, waited) = (start, commons.now - start)
            pauses = CurlPauses(idleStart, idleLimit: commons.options.idleLimit ?? request.idleLimit)
            response.start(request)
            sending = CurlSending(request)
            sending?.start()
            return nil
        }

        /// Whether the request has to be sent over a new connection, because the kept connection can't be used.
        var isStale: Bool { sending?.isStale == true }

        /// Prepares the transfer for a new connection.
        func startAfresh() {
            handle.startAfresh()
            lookup = .notBegun
            // If the body can't be sent again, the next callback ends the transfer.
            if let failure = sending?.startAfresh() { refuse(failure) }
        }

        /// Releases everything except the handle.
        func clear() {
            task = nil
            sending?.cancel()
            sending = nil
            response.clear()
            pauses = CurlPauses()
            wishes = CurlDataTask.Wishes()
            refusal = nil
            lookup = .notBegun
            socket = nil
            (withholdsCookies, isListed, isOver) = (false, false, false)
        }

        /// Notes why the transfer fails. The first reason counts.
        func refuse(_ failure: CurlFailure) {
            refusal = refusal ?? failure
        }

        /// Makes the transfer fail once its lookup has ended, before it connects.
        ///
        /// - Returns: Whether the transfer must not be taken from libcurl before, because that would stop the loop.
        func abandonLookup() -> Bool {
            guard lookup == .underWay else { return false }
            refuse(.refused(.cancelled))
            return true
        }

        enum Lookup { case notBegun, underWay, over }
    }

    // MARK: - What the task wants

    extension CurlTransfer {
        /// Does what the task wants beyond its body: gives it parts from here on, or tells it how far it is.
        func apply(_ new: CurlDataTask.Wishes) {
            if new.head, !response.head.isComplete { wishes.head = true }
            if new.progress, !wishes.progress {
                wishes.progress = true
                deliverSoon()
            }
            guard new.parts, !wishes.parts else { return }
            wishes.parts = true
            pauses.claim()
            deliverSoon()
            if response.head.isComplete { task?.stream(head: response.head.bytes) }
        }

        /// Makes the loop deliver what has come when its pass ends.
        func deliverSoon() {
            guard !isListed else { return }
            isListed = true
            commons.streaming.append(self)
        }

        /// Tells the task how far it is, where it wants to know, and gives it what has come, where it wants parts.
        func deliver() {
            isListed = false
            if wishes.progress { task?.note(progress) }
            givePart()
        }

        /// Hands on what has come. Where too much waits to be delivered, the transfer pauses; libcurl may still have some
        /// of what it has read.
        func givePart() {
            guard wishes.parts, let task, response.body.count > 0 else { return }
            guard task.stream(response.body.take()), !pauses.isFull else { return }
            pauses.fill()
            _ = applyPauses()
        }

        private var progress: TransferProgress {
            TransferProgress(
                sent: sending?.sentCount(handle.easy) ?? 0, received: response.receivedCount,
                expectedToSend: sending?.request.bodyLength,
                expectedToReceive: response.expectedCount(handle.easy))
        }
    }

    // MARK: - Pauses

    // Going on may end the transfer: then these functions return libcurl's code.
    extension CurlTransfer {
        func pause() {
            pauses.suspend()
            _ = applyPauses()
        }

        /// Goes on.
        ///
        /// - Parameter isFull: whether parts wait to be taken.
        func proceed(isFull: Bool = false) -> Int32? {
            let canSend = pauses.awaitsBody && (sending?.isReady == true || response.stopsSending)
            pauses.proceed(isFull: isFull, canSend: canSend)
            return end((isFull ? nil : unpackMore()) ?? applyPauses())
        }

        /// Goes on after others had their turn.
        func proceedUnpacking() -> Int32? {
            guard pauses.isYielding else { return nil }
            pauses.endYield()
            return end(pauses.holdsReceived ? 0 : unpackMore() ?? applyPauses())
        }

        /// Lets the rest of an unwanted body come, if it is short; says whether there is more to come of it.
        func drain() -> Bool {
            guard response.drain(handle.easy) else { return false }
            wishes.parts = false
            return proceed() == nil
        }

        /// Tells libcurl what is paused, where that has changed. What was held back comes inside this call, and may end the
        /// transfer with the code that is returned.
        func applyPauses() -> Int32 {
            guard let mask = pauses.takeMask() else { return 0 }
            pauses.noteActivity(commons.now)
            // Before there is a connection, libcurl returns an error that means nothing.
            let code = swallow_curl_easy_pause(handle.easy, mask)
            return refusal == nil && code == CurlSignal.badArgument ? 0 : code
        }

        private func end(_ code: Int32) -> Int32? { code != 0 || isOver ? code : nil }
    }

    // MARK: - The end

    extension CurlTransfer {
        /// The moment at which it has taken too long.
        var limit: UInt64 { refusal == nil || pauses.awaitsClaim ? pauses.limit : CurlClock.never }

        /// The failure of a transfer whose time is over.
        var lateness: CurlFailure { pauses.awaitsClaim ? response.excess : pauses.idleFailure }

        /// Whether the transfer is over when libcurl is done with it. It isn't while a decoder still keeps bytes: those
        /// follow as fast as they are wanted.
        func ends(with code: Int32) -> Bool {
            isOver = code == 0 && response.decoder?.isHolding == true
            return !isOver
        }

        /// How the transfer ended, by libcurl's code.
        func outcome(of code: Int32) -> CurlOutcome {
            let cookies = response.head.cookies
            if cookies > 0 { commons.cookies?.noteReceived(cookies) }
            if let failure = failure(of: code) { return .failure(failure, head: response.completeHead) }
            if let socket, response.head.isHTTP1 { commons.sockets.markQuiet(socket) }
            return .response(response.head.bytes, response.body.take())
        }

        private func failure(of code: Int32) -> CurlFailure? {
            if let refusal { return refusal }
            if code == 0 { return response.problemAtEnd() }
            // libcurl reports a field above its own limit as a lack of memory, or as too large.
            if !response.head.isComplete, sendings > 0, code == 27 || code == 100 {
                let text = "A field of the response's head has more than the 100 KB that libcurl takes."
                return .refused(.badServerResponse, text)
            }
            return handle.failure(of: code)
        }

        var report: CurlReport {
            CurlReport(
                handle.easy, progress, start: start, waited: waited, sendings: sendings,
                trailerLines: response.head.trailers)
        }

        private var sendings: Int { sending?.count ?? 0 }
    }
#endif
