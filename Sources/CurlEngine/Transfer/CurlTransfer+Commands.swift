#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    // Continuing a transfer may complete it. These functions then return libcurl's code.
    extension CurlTransfer {
        func pause() {
            pauses.pause()
            _ = applyPauses()
        }

        func resume() -> Int32? {
            pauses.resume()
            if holdsHead {
                holdsHead = false
                pauses.endAwaitingAnswer()
                if let code = deliverHead() { return code }
            }
            return proceed()
        }

        func deliverParts() -> Int32? {
            transfer?.delivery = .parts
            pauses.endAwaitingClaim()
            return proceed()
        }

        func accept() -> Int32? {
            guard pauses.awaitsAnswer else { return nil }
            pauses.endAwaitingAnswer()
            if refusal != nil {
                handle.leave()
                return CurlSignal.writeFailed
            }
            awaitClaimIfTooLong()
            return proceed()
        }

        /// Reads and drops the rest of the body if it is short. Otherwise fails the transfer.
        func drain() -> Int32? {
            pauses.endAwaitingAnswer()
            // A drained transfer isn't resumed by its owner.
            pauses.resume()
            transfer?.delivery = .collected
            if response.drains() { return proceed() }
            refuse(.transport(.cancelled))
            handle.leave()
            return CurlSignal.writeFailed
        }

        /// Fails the transfer. If the owner has yet to decide about the head, the transfer fails after the decision.
        func fail(with failure: EngineFailure) -> Int32? {
            refuse(failure)
            wasFailed = true
            pauses.resume()
            if holdsHead {
                // The owner hasn't received the head, so it doesn't decide about it.
                holdsHead = false
                pauses.endAwaitingAnswer()
            }
            if pauses.awaitsAnswer { return nil }
            handle.leave()
            return CurlSignal.writeFailed
        }

        func proceed() -> Int32? {
            if pauses.awaitsBody, sending?.isReady == true || response.stopsSending {
                pauses.endAwaitingBody()
            }
            deliverPart()
            let code = (pauses.holdsReceived ? nil : unpackMore()) ?? applyPauses()
            return code == 0 && !pauses.holdsEvents ? endCode : code == 0 ? nil : code
        }

        func proceedUnpacking() -> Int32? {
            guard pauses.isYielding else { return nil }
            pauses.endYield()
            return proceed()
        }

        /// Passes changed pauses to libcurl, which then delivers the bytes that it has held back.
        func applyPauses() -> Int32 {
            guard let mask = pauses.takeMask() else { return 0 }
            pauses.noteActivity(commons.now)
            // Without a connection, libcurl returns a meaningless error.
            let code = swallow_curl_easy_pause(handle.easy, mask)
            return refusal == nil && code == CurlSignal.badArgument ? 0 : code
        }
    }
#endif
