import Observation
import Swallow

/// A request that changes something on the server, and its progress, for example for a button.
///
/// ```swift
/// let ordering = Mutation()
/// ordering.run { resources.service.POST("/orders", parameters: ["item": "cake"]) }
/// ```
///
/// A mutation is idle until ``run(_:)`` or ``Resource/change(_:tracking:request:)`` starts it. Its state is the state
/// of the latest request. It is observable, and isolated to the main actor.
@MainActor
@Observable
public final class Mutation {
    /// The state of a ``Mutation``.
    public enum State: Sendable {
        /// No request was sent, or the latest request was cancelled.
        case idle
        /// The request waits for earlier changes, or for the server's response.
        case pending
        /// The server has accepted the latest request.
        case succeeded
        /// The latest request has failed. ``Mutation/retry()`` sends it again.
        case failed(ServiceError)

        /// Whether the state is ``pending``.
        public var isPending: Bool { if case .pending = self { true } else { false } }
        /// The error of the latest request, if it failed.
        public var error: ServiceError? { if case .failed(let error) = self { error } else { nil } }
    }

    typealias Work = @MainActor (_ end: @escaping @MainActor (Result<Void, ServiceError>) -> Void) -> Void

    /// The state of the latest request.
    public private(set) var state = State.idle
    @ObservationIgnored private var work: Work?
    @ObservationIgnored private var latestOutcome: LoadOutcome<Void>?

    /// Creates an idle mutation.
    public nonisolated init() {}

    /// Sends a request and follows its progress.
    ///
    /// If an earlier request is pending, both are sent. The state shows only the latest one.
    ///
    /// - Parameter request: Creates the task. ``retry()`` calls the closure again.
    public func run(_ request: @escaping @MainActor () -> ServiceTask) {
        start { end in
            request().onOutcome(.main, of: Void.self) { _ in
            } _: { result in
                MainActor.assumeIsolated { end(result) }
            }
        }
    }

    /// Sends the latest request again if it has failed. Otherwise, does nothing.
    public func retry() {
        if let work, state.error != nil { start(work) }
    }

    /// Waits for the latest request, if any, for example in a test. Cancelling the Swift task ends only this `await`.
    ///
    /// - Throws: The error of the latest request, or `.cancelled` if the request or the Swift task was cancelled.
    public func finished() async throws(ServiceError) {
        while let outcome = latestOutcome {
            let result = await outcome.result
            if outcome === latestOutcome { return try result.get() }
        }
    }

    func start(_ work: @escaping Work) {
        self.work = work
        let outcome = LoadOutcome<Void>()
        latestOutcome = outcome
        state = .pending
        work { [self] result in
            defer { _ = outcome.end(with: result) }
            guard outcome === latestOutcome else { return }
            switch result {
            case .success: state = .succeeded
            case .failure(let error): state = error.isCancelled ? .idle : .failed(error)
            }
            // Only ``retry()`` needs the closures, so the objects that they capture can be released.
            if state.error == nil { self.work = nil }
        }
    }
}
