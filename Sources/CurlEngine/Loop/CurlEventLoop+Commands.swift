#if os(Linux) && canImport(Glibc)
    extension CurlEventLoop {
        func perform(_ command: EngineTransfer.Command, on transfer: EngineTransfer) {
            switch (transfer.stage, command) {
            case (.active(let active), _): perform(command, on: active, transfer)
            case (.created(let pause), .start(let request, let inParts, let owner)):
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
                end(place)
            case (.waiting(let place), .fail(let failure, _)):
                queue.remove(place)
                end(place, failure)
            case (.created, .deliverParts), (.waiting, .deliverParts): transfer.deliversParts = true
            case (.created, .countProgress): transfer.countsProgress = true
            case (.waiting(let place), .countProgress):
                transfer.countsProgress = true
                noteLength(of: place)
            case (.over, .start(let request, _, _)): cancelLater(request.streamedBody)
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
                return begin(transfer, request, at: host, since: now, idleSince: now)
            }
            let idleTimeout = commons.options.idleTimeout ?? request.idleTimeout
            let place = CurlQueue.Waiting(transfer, request, at: host, now, idleTimeout: idleTimeout)
            queue.add(place)
            transfer.stage = .waiting(place)
            commons.check(by: place.deadline)
            if transfer.countsProgress { noteLength(of: place) }
        }

        func startWaiting() {
            while let place = queue.take() {
                begin(
                    place.transfer, place.request, at: place.host, since: place.start,
                    idleSince: place.countsFrom ?? commons.now)
            }
        }

        func failLate(_ now: UInt64) {
            for place in queue.takeLate(now) {
                end(place, .transport(.timedOut, "no connection to the host became free"))
            }
        }

        private func noteLength(of place: CurlQueue.Waiting) {
            place.transfer.note(.progress(EngineProgress(expectedToSend: place.request.bodyLength)))
        }
    }
#endif
