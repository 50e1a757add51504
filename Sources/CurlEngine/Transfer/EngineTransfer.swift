#if os(Linux) && canImport(Glibc)
    import Foundation
    import SwallowLock

    /// One HTTP request and its response on the wire. Any thread may call the functions.
    // Unchecked: only the loop's thread uses the variables.
    package final class EngineTransfer: @unchecked Sendable {
        enum Command: Sendable {
            case start(CurlRequest, inParts: Bool, any EngineTransferOwner)
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
            case active(EasyTransfer)
            case over
        }

        private let loop: EngineLoop
        var stage = Stage.created(isPaused: false)
        var request: CurlRequest?
        /// `nil` before the start and after the last event.
        var owner: (any EngineTransferOwner)?
        var deliversParts = false
        var countsProgress = false

        package init(on loop: EngineLoop) {
            self.loop = loop
        }

        deinit {
            request?.streamedBody?.cancel()
        }

        /// The loop holds the owner until the completion. Returns `false` if there is no loop. Then no event follows.
        package func start(
            _ request: CurlRequest, inParts: Bool, for owner: any EngineTransferOwner
        ) -> Bool {
            loop.send(.start(request, inParts: inParts, owner), to: self)
        }

        package func deliverParts() { _ = loop.send(.deliverParts, to: self) }

        package func pause() { _ = loop.send(.pause, to: self) }

        package func resume() { _ = loop.send(.resume, to: self) }

        package func answer(_ answer: HeadAnswer) { _ = loop.send(.answer(answer), to: self) }

        package func cancel() { _ = loop.send(.cancel, to: self) }

        package func fail(with failure: EngineFailure) { _ = loop.send(.fail(failure), to: self) }

        package func countProgress() { _ = loop.send(.countProgress, to: self) }

        package func continueBody() { _ = loop.send(.continueBody, to: self) }
    }

    /// The event loop calls these functions on its thread. They must not block, and must not run the app's code.
    package protocol EngineTransferOwner: AnyObject, Sendable {
        func receiveHead(_ head: EngineHead) -> HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> Flow
        /// Called before a collected body exceeds its limit, because the command `deliverParts` may still be waiting.
        var wantsParts: Bool { get }
        func note(_ progress: EngineProgress)
        func receiveCompletion(_ result: EngineResult, _ report: EngineReport?)
    }

    package protocol EngineBodySource: AnyObject, Sendable {
        var length: Int64? { get }
        var hasTrailers: Bool { get }
        /// Whether the bytes follow a 101 response. Then they aren't the request's body, and nothing frames them.
        var isTunnel: Bool { get }
        var isReady: Bool { get }
        func start()
        /// After this returns `.later`, `EngineTransfer.continueBody()` must be called once bytes are available.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece
        func cancel()
        func startedOver() -> (any EngineBodySource)?
    }

    extension EngineBodySource {
        package var isTunnel: Bool { false }
    }
#endif
