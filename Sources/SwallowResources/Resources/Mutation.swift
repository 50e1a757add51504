import Observation
import Swallow

/// A change on the server, and its progress, for example for a button.
///
/// ```swift
/// let ordering = Mutation()
/// ordering.run { resources.service.POST("/orders", parameters: ["item": "cake"]) }
/// ```
///
/// A mutation is idle until ``run(_:)`` or ``Resource/change(_:tracking:request:)`` starts it. If it is started again,
/// its state is the state of the latest request. Isolated to the main actor, and observable.
@MainActor
@Observable
public final class Mutation {
    /// The progress of a ``Mutation``.
    public enum State: Sendable {
        /// No request was sent, or it was cancelled.
        case idle
        /// The request waits for its turn, or for the server.
        case pending
        /// The server has accepted the latest request.
        case succeeded
        /// The latest request has failed. ``Mutation/retry()`` sends it again.
        case failed(ServiceError)

        /// Whether the request waits for its turn, or for the server.
        public var isPending: Bool { if case .pending = self { true } else { false } }
        /// The error of the latest request, if it has failed.
        public var error: ServiceError? { if case .failed(let error) = self { error } else { nil } }
    }

    /// Work that calls a closure on the main actor once, with its result.
    typealias Work = @MainActor (_ end: @escaping @MainActor (Result<Void, ServiceError>) -> Void) -> Void

    /// The progress of the latest request.
    public private(set) var state = State.idle
    @ObservationIgnored private var work: Work?
    @ObservationIgnored private var starts = 0

    /// Creates an idle mutation.
    public nonisolated init() {}

    /// Sends a request, and follows it.
    ///
    /// - Parameter request: Returns the task. ``retry()`` calls the closure again.
    public func run(_ request: @escaping @MainActor () -> ServiceTask) {
        start { end in
            request().onOutcome(.main, of: Void.self) { _ in
            } _: { result in
                MainActor.assumeIsolated { end(result) }
            }
        }
    }

    /// Does the work of the latest request again, if it has failed. Otherwise, this function has no effect.
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
            // Only a retry needs the closures and the objects that they capture.
            if state.error == nil { self.work = nil }
        }
    }
}
