#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    /// A transfer inside libcurl, used only on the loop's thread. Each transfer has its own handle, because a reused
    /// handle of libcurl 7.83 to 8.0 may write to a freed header field (curl's issue 11101). Reusing handles would save
    /// 7 % of the instructions of a GET of 2 KB.
    final class EasyTransfer {
        let transfer: EngineTransfer
        let request: CurlRequest
        let commons: CurlCommons
        var handle: CurlHandle
        var sending: CurlSending
        var response: CurlResponse
        var pauses: CurlPauses
        private(set) var notedFailure: EngineFailure?
        var wasFailed = false
        var lookup = Lookup.notBegun
        var socket: Int32?
        var withholdsCookies = false
        private var isListed = false
        /// The code with which libcurl has completed. Some of the body may still have to be decoded or delivered.
        private(set) var endCode: Int32?
        private let (start, waited): (UInt64, UInt64)
        var host: CurlQueue.Host?

        /// - Parameter idleStart: The time from which the idle timeout counts.
        init?(
            _ transfer: EngineTransfer, _ request: CurlRequest, at host: CurlQueue.Host?, since start: UInt64,
            idleSince idleStart: UInt64, _ commons: CurlCommons
        ) {
            guard let handle = CurlHandle(commons) else { return nil }
            (self.transfer, self.request, self.host, self.commons) = (transfer, request, host, commons)
            self.handle = handle
            (self.start, waited) = (start, commons.now - start)
            sending = CurlSending(request)
            response = CurlResponse(request, commons)
            pauses = CurlPauses(
                idleStart, idleTimeout: commons.options.idleTimeout ?? request.idleTimeout,
                isTunnel: request.isTunnel)
        }

        deinit {
            response.discard()
        }

        func prepare() -> EngineFailure? {
            if let failure = handle.prepare(for: self) { return failure }
            sending.start()
            if transfer.countsProgress { deliverSoon() }
            return nil
        }

        func restart() {
            handle.restart()
            lookup = .notBegun
            if let failure = sending.restart() { noteFailure(failure) }
        }

        func noteEnd() {
            if pauses.isOpenTunnel { commons.tunnels.removeAll { $0 === self } }
            let cookies = response.head.cookies
            if cookies > 0 { commons.cookies?.noteReceived(cookies) }
        }

        func noteFailure(_ failure: EngineFailure) {
            notedFailure = notedFailure ?? failure
        }

        /// Returns `true` if a name lookup could block the transfer's removal. After the lookup, the transfer fails.
        func abandonLookup() -> Bool {
            guard lookup == .underWay else { return false }
            noteFailure(.transport(.cancelled))
            return true
        }

        enum Lookup { case notBegun, underWay, over }
    }

    // MARK: - Delivering

    extension EasyTransfer {
        /// `false` after the completion or a cancel. A lookup may delay the removal, but the facts must not change.
        var hasOwner: Bool { transfer.owner != nil }

        var deliversParts: Bool { transfer.deliversParts }

        /// Delivers parts from now on if the owner wants parts. The command `deliverParts` may still be waiting.
        func takesParts() -> Bool {
            if transfer.owner?.wantsParts == true { transfer.deliversParts = true }
            return deliversParts
        }

        func deliverSoon() {
            guard !isListed else { return }
            isListed = true
            commons.streaming.append(self)
        }

        func deliver() {
            isListed = false
            if !hasOwner { return }
            if transfer.countsProgress { transfer.note(.progress(progress)) }
            deliverPart()
        }

        func deliverPart() {
            guard deliversParts, response.body.count > 0, !pauses.pausesEvents,
                let owner = transfer.owner, owner.receiveBodyPart(response.body.take()) == .pause
            else { return }
            pauses.ownerPause = max(pauses.ownerPause, .receiving)
            _ = applyPauses()
        }

        func deliverHead() -> Int32? {
            guard let head = response.completeHead, let owner = transfer.owner else { return nil }
            if pauses.ownerPause != .none {
                pauses.holdHead()
                return nil
            }
            switch owner.receiveHead(head) {
            case .accept: awaitSinkIfTooLong()
            case .drain: return drain()
            case .later: pauses.awaitDecision()
            }
            return nil
        }

        func awaitSinkIfTooLong() {
            guard !deliversParts, response.isTooLong else { return }
            pauses.awaitSink(commons.now)
            commons.check(by: pauses.deadline)
            _ = applyPauses()
        }

        private var progress: EngineProgress {
            EngineProgress(
                sent: sending.sentCount(handle.easy), received: response.receivedCount,
                expectedToSend: request.bodyLength,
                expectedToReceive: response.expectedCount(handle.easy))
        }
    }

    // MARK: - The end

    extension EasyTransfer {
        var deadline: UInt64 {
            notedFailure == nil && endCode == nil || pauses.awaitsSink ? pauses.deadline : CurlClock.never
        }

        var lateness: EngineFailure { pauses.awaitsSink ? response.excess : pauses.idleFailure }

        func ends(with code: Int32) -> Bool {
            endCode = code
            if !hasOwner { return true }
            if code == 0, response.decoder?.isPaused == true { return false }
            // A failure would drop a collected body, so an owner that wants parts receives it first.
            if code != 0 || response.mayBeIncomplete { _ = takesParts() }
            deliverPart()
            return wasFailed && !pauses.hasUnansweredHead || !pauses.pausesEvents
        }

        func result(of code: Int32) -> EngineResult {
            if let failure = failure(of: code) { return .failure(failure, response.completeHead) }
            if !response.head.isComplete { return .failure(.transport(.badServerResponse)) }
            if let socket, response.head.isHTTP1 { commons.sockets.markQuiet(socket) }
            return .success(response.body.take())
        }

        private func failure(of code: Int32) -> EngineFailure? {
            if let notedFailure { return notedFailure }
            if code == 0 { return response.problemAtEnd() }
            // libcurl reports a field above its own limit as a lack of memory, or as too large.
            if !response.head.isComplete, sending.count > 0, code == 27 || code == 100 {
                let text = "A field of the response's head has more than 100 KB, which is libcurl's limit."
                return .transport(.badServerResponse, text)
            }
            return handle.failure(of: code)
        }

        var report: EngineReport {
            EngineReport(
                handle.easy, progress, start: start, waited: waited, sendings: sending.count,
                trailerLines: response.head.trailers)
        }
    }

    // These functions return libcurl's code if the transfer ends.
    extension EasyTransfer {
        func setPause(_ pause: TransferPause) -> Int32? {
            pauses.ownerPause = pause
            if pause == .none, pauses.takeHeldHead(), let code = deliverHead() { return code }
            return proceed()
        }

        func deliverParts() -> Int32? {
            transfer.deliversParts = true
            pauses.endAwaitingSink()
            return proceed()
        }

        func accept() -> Int32? {
            guard pauses.hasUnansweredHead else { return nil }
            pauses.settleHead()
            if notedFailure != nil {
                handle.prepareToAbort()
                return CurlSignal.writeFailed
            }
            awaitSinkIfTooLong()
            return proceed()
        }

        func drain() -> Int32? {
            pauses.settleHead()
            pauses.ownerPause = .none
            transfer.deliversParts = false
            if response.drains() { return proceed() }
            noteFailure(.transport(.cancelled))
            handle.prepareToAbort()
            return CurlSignal.writeFailed
        }

        func fail(with failure: EngineFailure) -> Int32? {
            notedFailure = failure
            wasFailed = true
            pauses.ownerPause = .none
            // If the owner is still deciding about the head, the transfer fails after the decision.
            if !pauses.takeHeldHead(), pauses.hasUnansweredHead { return nil }
            handle.prepareToAbort()
            return CurlSignal.writeFailed
        }

        func proceed() -> Int32? {
            if pauses.awaitsBody, sending.isReady || response.stopsSending {
                pauses.endAwaitingBody()
            }
            deliverPart()
            if !pauses.pausesReceiving, let code = unpackMore() { return code }
            if let code = applyPauses() { return code }
            return pauses.pausesEvents ? nil : endCode
        }

        /// Called in a later pass of the loop. No other command ends the yield, so that other transfers have a turn.
        func continueDecoding() -> Int32? {
            pauses.endYield()
            return proceed()
        }

        func noticeEnd() -> Int32? {
            guard pauses.awaitsBody, !pauses.pausesReceiving, let socket, commons.sockets.hasEnded(socket)
            else {
                return nil
            }
            response.endTunnel()
            return proceed()
        }

        func applyPauses() -> Int32? {
            guard let pauseBits = pauses.takePauseBits() else { return nil }
            pauses.noteActivity(commons.now)
            // Without a connection, libcurl returns `CURLE_BAD_FUNCTION_ARGUMENT`, which means nothing here.
            let code = swallow_curl_easy_pause(handle.easy, pauseBits)
            let isFine = code == 0 || notedFailure == nil && code == CurlSignal.badArgument
            return isFine ? nil : code
        }
    }
#endif
