#if os(Linux) && canImport(Glibc)
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

        private func admit(_ transfer: EngineTransfer) {
            let (now, host) = (commons.now, queue.host(of: transfer.request))
            guard let host, !queue.enter(host) else {
                return begin(transfer, host, since: now, idleSince: now)
            }
            let idleTimeout = commons.options.idleTimeout ?? transfer.request.idleTimeout
            let waiting = CurlQueue.Waiting(transfer, at: host, now, idleTimeout: idleTimeout)
            queue.add(waiting)
            transfer.stage = .waiting(waiting)
            commons.check(by: waiting.deadline)
            if transfer.countsProgress { noteLength(of: transfer) }
        }

        func perform(
            _ command: EngineTransfer.Command, on waiting: CurlQueue.Waiting, _ transfer: EngineTransfer
        ) {
            switch command {
            case .pause: queue.suspend(waiting)
            case .resume:
                queue.proceed(waiting, commons.now)
                commons.check(by: waiting.deadline)
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
