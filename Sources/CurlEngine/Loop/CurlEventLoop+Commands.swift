#if os(Linux) && canImport(Glibc)
    extension CurlEventLoop {
        func perform(_ command: EngineTransfer.Command, on transfer: EngineTransfer) {
            switch (transfer.stage, command) {
            case (.active(let active), _): perform(command, on: active, transfer)
            case (.created(let pause), .start(let request, let inParts, let owner)):
                transfer.request = request
                transfer.owner = owner
                if inParts { transfer.deliversParts = true }
                admit(transfer, request)
                if pause != .none { perform(.setPause(pause), on: transfer) }
            case (.created, .setPause(let pause)): transfer.stage = .created(pause)
            case (.created, .cancel): transfer.stage = .over
            case (.created, .fail(let failure, let owner)):
                transfer.stage = .over
                owner.receiveCompletion(.failure(failure))
            case (.waiting(let place), .setPause(.none)):
                queue.proceed(place, commons.now)
                commons.check(by: place.deadline)
            case (.waiting(let place), .setPause): queue.suspend(place)
            case (.waiting(let place), .cancel):
                queue.remove(place)
                end(transfer)
            case (.waiting(let place), .fail(let failure, _)):
                queue.remove(place)
                end(transfer, failure)
            case (.created, .deliverParts), (.waiting, .deliverParts): transfer.deliversParts = true
            case (.created, .countProgress), (.waiting, .countProgress):
                transfer.countsProgress = true
                noteLength(of: transfer)
            case (.over, .start(let request, _, _)):
                // Cancelling and releasing a body may block the loop.
                if let body = request.streamedBody { thread.postpone { body.cancel() } }
            case (.created, _), (.waiting, _), (.over, _): break
            }
        }

        private func perform(
            _ command: EngineTransfer.Command, on active: EasyTransfer, _ transfer: EngineTransfer
        ) {
            var code: Int32?
            switch command {
            case .start, .answer(.later): break
            case .deliverParts: code = active.deliverParts()
            case .setPause(let pause): code = active.setPause(pause)
            case .continueBody: code = active.proceed()
            case .continueDecoding: code = active.continueDecoding()
            case .answer(.accept): code = active.accept()
            case .answer(.drain): code = active.drain()
            case .countProgress:
                transfer.countsProgress = true
                active.deliverSoon()
            case .cancel:
                transfer.owner = nil
                discard(active)
            case .fail(let failure, _):
                if active.abandonLookup() {
                    transfer.owner.take()?.receiveCompletion(.failure(failure))
                } else {
                    code = active.fail(with: failure)
                }
            }
            if let code { finish(active, code) } else { commons.check(by: active.deadline) }
        }

        private func admit(_ transfer: EngineTransfer, _ request: CurlRequest) {
            let (now, host) = (commons.now, queue.host(of: request))
            guard let host, !queue.enter(host) else {
                return begin(transfer, host, since: now, idleSince: now)
            }
            let idleTimeout = commons.options.idleTimeout ?? request.idleTimeout
            let place = CurlQueue.Waiting(transfer, at: host, now, idleTimeout: idleTimeout)
            queue.add(place)
            transfer.stage = .waiting(place)
            commons.check(by: place.deadline)
            if transfer.countsProgress { noteLength(of: transfer) }
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
            transfer.note(.progress(EngineProgress(expectedToSend: transfer.request?.bodyLength)))
        }
    }
#endif
