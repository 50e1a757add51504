import Swallow

/// Work that produces a value or fails, for example a request.
///
/// Creating a future sends nothing. The work begins when you start the future, and each start does the work again:
///
/// ```swift
/// let user = try await users.read(id: 7).value
/// let outcome = await users.read(id: 7).result
/// users.read(id: 7).start { result in self.show(result) }
/// ```
///
/// - **One outcome.** Each start completes exactly once, with a value or a `ServiceError`.
/// - **Cancellation.** Cancel the Swift task that awaits the future, or the handle that `start` returned. Swallow then
///   cancels the current request. The future then usually fails with `.cancelled`, without calling later closures.
/// - **Threads.** The closures of `map`, `andThen`, `recover` and `mapError` run off the main thread.
/// - **For a ``Resource``.** A resource can show cached data before the server responds only if its future is one
///   request, with or without `map`. For example, a future of ``andThen(_:)`` or ``init(operation:)`` isn't.
public struct ServiceFuture<Value: Sendable>: Sendable {
    private enum Work: Sendable {
        case request(FutureRequest<Value>)
        /// Any other work. The maker, if there is one, creates the task of the first request.
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

    var request: FutureRequest<Value>? { if case .request(let request) = work { request } else { nil } }

    var maker: TaskMaker? {
        switch work {
        case .request(let request): request.maker
        case .steps(let maker, _): maker
        }
    }

    @concurrent func run() async -> Result<Value, ServiceError> {
        switch work {
        case .request(let request): await request.run()
        case .steps(_, let run): await run()
        }
    }

    @_disfavoredOverload
    package init(value: Value) {
        self.init { .success(value) }
    }

    /// Unavailable. Pass a closure that returns the value.
    @available(*, unavailable, message: "Write ServiceFuture { value }.")
    @_disfavoredOverload
    public init(value: Value, _ unavailable: Never? = nil) {
        self.init { .success(value) }
    }

    package init(error: any Error) {
        self.init { .failure(ServiceError(thrown: error, after: nil)) }
    }

    /// Creates a future from async code, which runs off the main thread by default. Cancelling the future cancels the
    /// code's Swift task, but the future completes only when the code has ended. An error of your own type becomes the
    /// `underlying` of `.thrown`, and a `CancellationError` becomes `.cancelled`.
    public init(operation: @escaping @Sendable () async throws -> Value) {
        self.init {
            do {
                return .success(try await operation())
            } catch {
                return .failure(ServiceError(thrown: error, after: nil))
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

    func unlessCancelled(_ result: Result<Value, ServiceError>) -> Result<Value, ServiceError> {
        if case .success = result, Task.isCancelled { return .failure(ServiceError(.cancelled)) }
        return result
    }
}
