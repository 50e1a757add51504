import Dispatch
import Swallow

/// A future that consists of one request, and the way to read its value.
///
/// It starts like a handler chain, without a Swift task, which would cost 19 µs. It returns the fields of the
/// response's head with the value.
struct FutureRequest<Value: Sendable>: Sendable {
    let maker: TaskMaker
    /// The type that the pipeline prepares the content for.
    let type: Any.Type
    /// Reads the value. It never runs on the main thread.
    let read: @Sendable (TaskContent) throws -> Value

    func map<NewValue>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> FutureRequest<NewValue> {
        FutureRequest<NewValue>(maker: maker, type: type) { [read] in try transform(read($0)) }
    }

    @concurrent func run() async -> Result<Value, ServiceError> {
        if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
        let task: ServiceTask
        do {
            task = try maker.task()
        } catch {
            return .failure(ServiceError(thrown: error, after: nil))
        }
        // The task's own awaits leave it running if something else is attached to it.
        return await withTaskCancellationHandler {
            await task.outcome(of: type, reading: read)
        } onCancel: {
            task.cancel()
        }
    }

    func start(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, ServiceError>) -> Void
    ) -> StartedFuture {
        do {
            let task = try maker.task()
            task.onOutcome(queue, of: type, reading: read, handler)
            return StartedFuture(work: .request(task))
        } catch {
            return ServiceFuture(error: error).start(queue, handler)
        }
    }

    /// Returns the value with the fields of the response's head.
    func entity(_ content: TaskContent) throws -> Entity<Value> {
        content.head.withContent(try read(content))
    }
}

/// Creates a request's task at each start. It is a class so that closures capture the service, which is a large value,
/// only once.
final class TaskMaker: Sendable {
    /// The service. It doesn't start tasks by itself.
    let service: WebService
    private let request: @Sendable (WebService) throws -> ServiceTask

    init(_ service: WebService, _ request: @escaping @Sendable (WebService) throws -> ServiceTask) {
        var service = service
        service.startTasksImmediately = false
        self.service = service
        self.request = request
    }

    func task() throws -> ServiceTask { try request(service) }

    /// Creates the task of a resource's load, which reads the caches or sends the request.
    func loadTask<Content>(
        fromCachesAlone: Bool = false, confirming data: Entity<Content>?
    ) throws -> ServiceTask {
        try request(service.loading(fromCachesAlone: fromCachesAlone, confirming: data))
    }
}
