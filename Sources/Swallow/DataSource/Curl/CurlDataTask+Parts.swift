#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    extension CurlDataTask {
        func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
            outbox.onRoom { [weak self] in self?.attendAgain() }
            let (work, wasStarted) = outbox.update { state, queue -> (Work?, Bool) in
                guard let work = state.work, queue.stream(to: { self.give($0, work, receiver) }) else {
                    return (nil, false)
                }
                return (work, state.wasStarted)
            }
            if let work, wasStarted { attend(work) }
        }

        /// Gives a part to the receiver, unless the hop is rejected.
        private func give(_ part: ResponsePart, _ work: Work, _ receiver: PartQueue.Receiver) {
            if case .head(let response) = part, work.hop.receiveHead(response) { return reject() }
            receiver(part)
        }

        /// Lets go of a response that was rejected.
        func reject() {
            let (work, queue) = outbox.update { state, queue in
                state.isRejected = true
                return (state.work.take(), queue.abandon())
            }
            withExtendedLifetime(queue) { if let work { attend(work) } }
        }
    }

    // MARK: - The loop's side

    extension CurlDataTask {
        /// Takes the lines of the head for the receiver.
        func stream(head lines: [UInt8]) {
            guard let work, let response = response(lines, work) else { return }
            outbox.change(isOwnCall: true) { state, queue in
                state.response = response
                queue.add(.head(response))
            }
        }

        /// Queues bytes for the receiver; returns whether the queue is full.
        func stream(_ bytes: Data) -> Bool {
            outbox.change(isOwnCall: true) { state, queue in
                guard state.response != nil else { return false }
                queue.add(.bytes(bytes))
                return queue.isFull
            }
        }
    }
#endif
