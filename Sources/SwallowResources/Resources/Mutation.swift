import Observation
import Swallow

/// A request that changes something on the server, and its progress, for example for a button.
///
/// ```swift
/// let ordering = Mutation()
/// ordering.run { resources.service.POST("/orders", parameters: ["item": "cake"]) }
/// ```
///
/// A mutation is idle until ``run(_:)`` or ``Resource/change(_:tracking:request:)`` starts it. Its state is always the
/// state of the latest request. It is observable, and isolated to the main actor.
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
    @ObservationIgnored private var starts = 0

    /// Creates an idle mutation.
    public nonisolated init() {}

    /// Sends a request and follows its progress.
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

    /// Sends the latest request again if it has failed.
    public func retry() {
        if let work, state.error != nil { start(work) }
    }

    func start(_ work: @escaping Work) {
        self.work = work
        starts += 1
        let number = starts
        state = .pending
        work { [self] result in
            guard number == starts else { return }
            switch result {
            case .success: state = .succeeded
            case .failure(let error): state = error.isCancelled ? .idle : .failed(error)
            }
            // Only ``retry()`` needs the closures, so the objects that they capture can be released.
            if state.error == nil { self.work = nil }
        }
    }
}
