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
            if isHeadWaiting {
                isHeadWaiting = false
                pauses.endAwaitingAnswer()
                if let code = deliverHead() { return code }
            }
            return proceed()
        }

        func deliverParts() -> Int32? {
            transfer?.delivery = .parts
            pauses.endAwaitingSink()
            return proceed()
        }

        func accept() -> Int32? {
            guard pauses.awaitsAnswer else { return nil }
            pauses.endAwaitingAnswer()
            if notedFailure != nil {
                handle.leave()
                return CurlSignal.writeFailed
            }
            awaitSinkIfTooLong()
            return proceed()
        }

        func drain() -> Int32? {
            pauses.endAwaitingAnswer()
            // The owner of a drained transfer doesn't resume it.
            pauses.resume()
            transfer?.delivery = .collected
            if response.drains() { return proceed() }
            noteFailure(.transport(.cancelled))
            handle.leave()
            return CurlSignal.writeFailed
        }

        func fail(with failure: EngineFailure) -> Int32? {
            noteFailure(failure)
            wasFailed = true
            pauses.resume()
            if isHeadWaiting {
                // The owner hasn't received the head, so no decision about it follows.
                isHeadWaiting = false
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
            let code = (pauses.pausesReceiving ? nil : unpackMore()) ?? applyPauses()
            return code == 0 && !pauses.pausesEvents ? endCode : code == 0 ? nil : code
        }

        func noticeEnd() -> Int32? {
            guard pauses.awaitsBody, !pauses.pausesReceiving, let socket, commons.sockets.hasEnded(socket)
            else {
                return nil
            }
            response.endTunnel()
            return proceed()
        }

        func proceedUnpacking() -> Int32? {
            guard pauses.isYielding else { return nil }
            pauses.endYield()
            return proceed()
        }

        func applyPauses() -> Int32 {
            guard let pauseBits = pauses.takePauseBits() else { return 0 }
            pauses.noteActivity(commons.now)
            // Without a connection, libcurl returns a meaningless error.
            let code = swallow_curl_easy_pause(handle.easy, pauseBits)
            return notedFailure == nil && code == CurlSignal.badArgument ? 0 : code
        }
    }
#endif
