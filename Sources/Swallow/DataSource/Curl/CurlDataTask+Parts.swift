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

        /// Queues bytes for the receiver.
        ///
        /// - Returns: whether the transfer should pause: the queue is full, or the reader of the body can't keep up.
        func stream(_ bytes: Data) -> Bool {
            let (isFull, hop) = outbox.change(isOwnCall: true) { state, queue -> (Bool, Hop?) in
                guard state.response != nil else { return (false, nil) }
                queue.add(.bytes(bytes))
                return (queue.isFull, state.work?.hop)
            }
            return isFull || hop?.isHeld == true
        }
    }
#endif
