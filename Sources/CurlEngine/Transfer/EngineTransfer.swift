#if os(Linux) && canImport(Glibc)
    import Foundation

    /// One HTTP request and its response on the wire. Its functions may be called from any thread. They send commands
    /// to the loop, which performs them in order. Commands that arrive before `start` take effect at the start.
    // Unchecked: only the loop's thread uses the variables.
    package final class EngineTransfer: @unchecked Sendable {
        /// How the owner receives the body.
        package enum Delivery: Sendable {
            /// The complete body, with the completion.
            case collected
            /// Body parts, while the body arrives.
            case parts
        }

        /// An owner's decision about a head.
        package enum HeadAnswer: Sendable {
            case accept
            /// Reads and drops the body, or closes the connection if the body has more than 64 KB.
            case drain
            /// The owner calls `answer` later. Until then, nothing is delivered, and at most 64 KB are received.
            case later
        }

        package enum Flow: Sendable {
            case more
            /// Accepts the body part. Nothing else is received until `resume()`.
            case pause
        }

        enum Command: Sendable {
            case start(Delivery, any EngineTransferOwner)
            case deliverParts
            case pause
            case resume
            case answer(HeadAnswer)
            case cancel
            case fail(EngineFailure)
            case countProgress
            case continueBody
        }

        enum Stage {
            case created(isPaused: Bool)
            /// The transfer waits for a connection to its host.
            case waiting(CurlQueue.Waiting)
            case active(CurlTransfer)
            case over
        }

        let request: CurlRequest
        private let loop: EngineLoop
        var stage = Stage.created(isPaused: false)
        /// `nil` before the start, and again after the completion or `cancel()`.
        var owner: (any EngineTransferOwner)?
        var delivery = Delivery.collected
        var countsProgress = false

        /// - Throws: A failure if the request can't be sent.
        package init(_ request: EngineRequest, on loop: EngineLoop) throws(EngineFailure) {
            self.request = try CurlRequest(request)
            self.loop = loop
        }

        deinit {
            request.streamedBody?.cancel()
        }

        /// Sends the request. Both the loop and the owner's events keep the owner alive until the completion.
        ///
        /// - Returns: Whether there is a loop. Without a loop, the owner receives no event.
        package func start(_ delivery: Delivery, for owner: any EngineTransferOwner) -> Bool {
            loop.send(.start(delivery, owner), to: self)
        }

        /// Delivers body parts from now on, even if the transfer was started as `.collected`.
        package func deliverParts() { _ = loop.send(.deliverParts, to: self) }

        /// Stops sending and receiving until `resume()`. Apart from an event that is under way, no event follows.
        package func pause() { _ = loop.send(.pause, to: self) }

        package func resume() { _ = loop.send(.resume, to: self) }

        /// Decides about a head for which the owner returned `.later`. `.drain` may also replace an earlier decision.
        package func answer(_ answer: HeadAnswer) { _ = loop.send(.answer(answer), to: self) }

        /// Cancels the transfer. Apart from an event that is under way, no event follows.
        package func cancel() { _ = loop.send(.cancel, to: self) }

        /// Fails a started transfer, even while it is paused. If the owner has yet to decide about the head, it
        /// receives the failure after its decision.
        package func fail(with failure: EngineFailure) { _ = loop.send(.fail(failure), to: self) }

        /// Reports the progress to the owner from now on.
        package func countProgress() { _ = loop.send(.countProgress, to: self) }

        /// Continues to send the body. Call this function when the body's source has bytes after it has returned
        /// `.later`.
        package func continueBody() { _ = loop.send(.continueBody, to: self) }
    }

    /// The receiver of a transfer's events. The event loop calls these functions on its thread, one at a time. They
    /// must not block, and must not run an app's code.
    package protocol EngineTransferOwner: AnyObject, Sendable {
        func receiveHead(_ head: EngineHead) -> EngineTransfer.HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> EngineTransfer.Flow
        func note(_ progress: EngineProgress)
        /// Receives the completion. It is the last event, and every transfer that isn't cancelled has exactly one.
        ///
        /// - Parameter report: `nil` if libcurl didn't complete the transfer.
        func complete(_ result: EngineResult, _ report: EngineReport?)
    }
#endif
