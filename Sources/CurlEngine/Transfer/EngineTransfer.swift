#if os(Linux) && canImport(Glibc)
    import Foundation
    import SwallowLock

    /// One HTTP request and its response on the wire. Any thread may call the functions, which send commands to the
    /// loop. Commands that arrive before `start` take effect at the start.
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

        /// The loop holds the owner until the completion. Returns `false` if there is no loop, so no event follows.
        package func start(_ delivery: BodyDelivery, for owner: any EngineTransferOwner) -> Bool {
            loop.send(.start(delivery, owner), to: self)
        }

        package func deliverParts() { _ = loop.send(.deliverParts, to: self) }

        /// Stops sending and receiving until `resume()`. Apart from an event that is under way, no event follows.
        package func pause() { _ = loop.send(.pause, to: self) }

        package func resume() { _ = loop.send(.resume, to: self) }

        /// Decides about a head for which the owner returned `.later`. `.drain` may also replace an earlier decision.
        package func answer(_ answer: HeadAnswer) { _ = loop.send(.answer(answer), to: self) }

        package func cancel() { _ = loop.send(.cancel, to: self) }

        /// Fails a transfer, even a paused one. If the owner has yet to decide about the head, the failure waits.
        package func fail(with failure: EngineFailure) { _ = loop.send(.fail(failure), to: self) }

        package func countProgress() { _ = loop.send(.countProgress, to: self) }

        /// Call this function when the body's source has bytes after it has returned `.later`.
        package func continueBody() { _ = loop.send(.continueBody, to: self) }
    }

    /// The event loop calls these functions on its thread. They must not block, or run an app's code.
    package protocol EngineTransferOwner: AnyObject, Sendable {
        func receiveHead(_ head: EngineHead) -> HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> Flow
        func note(_ progress: EngineProgress)
        /// The last event of every transfer that isn't cancelled. There is no report if libcurl didn't complete it.
        func complete(_ result: EngineResult, _ report: EngineReport?)
    }
#endif
