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
            case fail(EngineFailure, any EngineTransferOwner)
            case countProgress
            case continueBody
        }

        enum Stage {
            case created(isPaused: Bool)
            case waiting(CurlQueue.Waiting)
            case active(EasyTransfer)
            case over
        }

        /// Doesn't keep the loop alive, so that a completed transfer can outlive its data source.
        private let inbox: CurlInbox?
        var stage = Stage.created(isPaused: false)
        var request: CurlRequest?
        /// `nil` before the start and after the last event.
        var owner: (any EngineTransferOwner)?
        var deliversParts = false
        var countsProgress = false

        package init(on loop: EngineLoop) {
            inbox = loop.inbox
        }

        /// The loop holds the owner until the completion. If this throws, no event follows.
        package func start(
            _ request: CurlRequest, inParts: Bool, for owner: any EngineTransferOwner
        ) throws(EngineFailure) {
            let isSent: Bool
            do { isSent = try sendStartingLoop(.start(request, inParts: inParts, owner)) } catch {
                throw .noThread(error)
            }
            if !isSent { throw .transport(.unsupportedURL) }
        }

        /// Fails the transfer, even if it wasn't started. Returns `false` if there is no loop. Then no event follows.
        package func fail(with failure: EngineFailure, for owner: any EngineTransferOwner) -> Bool {
            (try? sendStartingLoop(.fail(failure, owner))) ?? false
        }

        package func deliverParts() { send(.deliverParts) }

        package func pause() { send(.pause) }

        package func resume() { send(.resume) }

        package func answer(_ answer: HeadAnswer) { send(.answer(answer)) }

        package func cancel() { send(.cancel) }

        package func countProgress() { send(.countProgress) }

        package func continueBody() { send(.continueBody) }

        private func sendStartingLoop(_ command: Command) throws -> Bool {
            try inbox?.send(.command(command, self)) ?? false
        }

        private func send(_ command: Command) { _ = inbox?.add(.command(command, self)) }
    }

    /// The event loop calls these functions on its thread. They must not block, and must not run the app's code.
    package protocol EngineTransferOwner: AnyObject, Sendable {
        func receiveHead(_ head: EngineHead) -> HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> Flow
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
