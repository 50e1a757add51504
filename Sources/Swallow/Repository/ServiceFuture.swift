/// Work that has not begun: what it is, and what it will give.
///
/// Nothing happens until it is started, and each start does the work anew. There are three ways to start it:
///
/// ```swift
/// let user = try await users.read(id: 7).value
/// let outcome = await users.read(id: 7).result
/// users.read(id: 7).start { result in self.show(result) }
/// ```
///
/// - **One ending.** Each start ends once, in a value or in one ``ServiceError``.
/// - **Cancel.** When the Swift task that awaits it is cancelled, or what `start` returned, the request under
///   way ends at once, none of the closures of `map`, `mapError`, `andThen` and `recover` runs any more, and the
///   future ends with `.cancelled`. One that was cancelled before its start sends nothing.
/// - **Off the main thread.** Closures run on background threads, wherever the future is awaited; those of `map` on the queue that
///   `start` names.
/// - **For a ``Resource``.** A future of one request, mapped or not, can show what caches have before it asks the server,
///   and be confirmed by a 304. One of several steps, by `andThen`, `recover`, `mapError` or ``init(operation:)``, can't.
public struct ServiceFuture<Value: Sendable>: Sendable {
    private enum Work: Sendable {
        case request(FutureRequest<Value>)
        /// Several steps, and what makes the task of the first request, where there is one.
        // On the global executor throughout, so that no step of a chain hops.
        case steps(TaskMaker?, @concurrent @Sendable () async -> Result<Value, ServiceError>)
    }

    private let work: Work

    init(
        after maker: TaskMaker? = nil,
        run: @escaping @concurrent @Sendable () async -> Result<Value, ServiceError>
    ) {
        work = .steps(maker, run)
    }

    init(_ request: FutureRequest<Value>) {
        work = .request(request)
    }

    /// The request, where the future is a single one.
    var request: FutureRequest<Value>? { if case .request(let request) = work { request } else { nil } }

    /// Makes the task of the first request; nil where there is none.
    var maker: TaskMaker? {
        switch work {
        case .request(let request): request.maker
        case .steps(let maker, _): maker
        }
    }

    /// Does the work, also where the Swift task is cancelled.
    @concurrent func run() async -> Result<Value, ServiceError> {
        switch work {
        case .request(let request): await request.run()
        case .steps(_, let run): await run()
        }
    }

    // Disfavored, since a closure that trails is an operation, not a value.
    /// Makes a future that gives a value, at once.
    @_disfavoredOverload
    package init(value: Value) {
        self.init { .success(value) }
    }

    /// Unavailable: a future of a value is one of a closure.
    @available(*, unavailable, message: "Write ServiceFuture { value }.")
    @_disfavoredOverload
    public init(value: Value, _ unavailable: Never? = nil) {
        self.init { .success(value) }
    }

    /// Makes a future that fails, at once. An error that is no ``ServiceError`` becomes one with `.thrown`.
    package init(error: any Error) {
        self.init { .failure(ServiceError(thrown: error, request: nil)) }
    }

    /// Makes a future of async code, which runs at each start, off the main thread. What it throws is the failure,
    /// with `.thrown` unless it is a ``ServiceError``, and `.cancelled` for a `CancellationError`.
    ///
    /// Cancelling cancels the code's Swift task; the future ends when the code does.
    public init(operation: @escaping @Sendable () async throws -> Value) {
        self.init {
            do {
                return .success(try await operation())
            } catch {
                return .failure(ServiceError(thrown: error, request: nil))
            }
        }
    }

    /// Starts the work and waits for its value.
    public var value: Value {
        get async throws(ServiceError) { try await result.get() }
    }

    /// Starts the work and waits for its outcome.
    public var result: Result<Value, ServiceError> {
        get async { await runUnlessCancelled() }
    }

    @concurrent func runUnlessCancelled() async -> Result<Value, ServiceError> {
        if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
        return unlessCancelled(await run())
    }

    /// The outcome, or `.cancelled` where the Swift task was cancelled before the value could be used.
    func unlessCancelled(_ result: Result<Value, ServiceError>) -> Result<Value, ServiceError> {
        if case .success = result, Task.isCancelled { return .failure(ServiceError(.cancelled)) }
        return result
    }
}
