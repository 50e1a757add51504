#if os(Linux) && canImport(Glibc)
    /// Commands for transfers that libcurl doesn't have yet.
    extension CurlEventLoop {
        func prepare(_ transfer: EngineTransfer, _ isPaused: Bool, _ command: EngineTransfer.Command) {
            switch command {
            case .start(let delivery, let owner):
                if delivery == .parts { transfer.delivery = .parts }
                transfer.owner = owner
                admit(transfer)
                if isPaused { perform(.pause, on: transfer) }
            case .pause: transfer.stage = .created(isPaused: true)
            case .resume: transfer.stage = .created(isPaused: false)
            case .cancel, .fail: transfer.stage = .over
            case .deliverParts: transfer.delivery = .parts
            case .countProgress: transfer.countsProgress = true
            case .answer, .continueBody: break
            }
        }

        /// Starts a request, or adds it to the queue if its host has no free connection.
        private func admit(_ transfer: EngineTransfer) {
            let (now, host) = (commons.now, queue.host(of: transfer.request))
            guard let host, !queue.enter(host) else {
                return begin(transfer, host, since: now, idleSince: now)
            }
            let limit = commons.options.idleLimit ?? transfer.request.idleLimit
            let waiting = CurlQueue.Waiting(transfer, at: host, now, idleLimit: limit)
            queue.add(waiting)
            transfer.stage = .waiting(waiting)
            commons.check(by: waiting.limit)
            if transfer.countsProgress { noteLength(of: transfer) }
        }

        func perform(
            _ command: EngineTransfer.Command, on waiting: CurlQueue.Waiting, _ transfer: EngineTransfer
        ) {
            switch command {
            case .pause: queue.suspend(waiting)
            case .resume:
                queue.proceed(waiting, commons.now)
                commons.check(by: waiting.limit)
            case .cancel:
                queue.remove(waiting)
                end(transfer)
            case .fail(let failure):
                queue.remove(waiting)
                end(transfer, failure)
            case .deliverParts: transfer.delivery = .parts
            case .countProgress:
                transfer.countsProgress = true
                noteLength(of: transfer)
            case .start, .answer, .continueBody: break
            }
        }

        func startWaiting() {
            while let (transfer, place) = queue.take() {
                begin(
                    transfer, place.host, since: place.start, idleSince: place.countsFrom ?? commons.now)
            }
        }

        func failLate(_ now: UInt64) {
            for transfer in queue.takeLate(now) {
                end(transfer, .transport(.timedOut, "no connection to the host became free"))
            }
        }

        private func noteLength(of transfer: EngineTransfer) {
            transfer.owner?.note(EngineProgress(expectedToSend: transfer.request.bodyLength))
        }
    }
#endif
