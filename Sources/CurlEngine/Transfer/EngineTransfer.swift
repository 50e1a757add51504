#if os(Linux) && canImport(Glibc)
    import Foundation
    import SwallowLock

    /// One HTTP request and its response on the wire. Its functions may be called from any thread. They send commands
    /// to the loop, which performs them in order. Commands that arrive before `start` take effect at the start.
    // Unchecked: only the loop's thread uses the variables.
    package final class EngineTransfer: @unchecked Sendable {
        enum Command: Sendable {
            case start(BodyDelivery, any EngineTransferOwner)
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
        var delivery = BodyDelivery.collected
        var countsProgress = false

        package init(_ request: CurlRequest, on loop: EngineLoop) {
            self.request = request
            self.loop = loop
        }

        deinit {
            request.streamedBody?.cancel()
        }

        /// Sends the request. Both the loop and the owner's events keep the owner alive until the completion.
        ///
        /// - Returns: Whether there is a loop. Without a loop, the owner receives no event.
        package func start(_ delivery: BodyDelivery, for owner: any EngineTransferOwner) -> Bool {
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
        func receiveHead(_ head: EngineHead) -> HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> Flow
        func note(_ progress: EngineProgress)
        /// Receives the completion. It is the last event, and every transfer that isn't cancelled has exactly one.
        ///
        /// - Parameter report: `nil` if libcurl didn't complete the transfer.
        func complete(_ result: EngineResult, _ report: EngineReport?)
    }
#endif
