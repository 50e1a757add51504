import Dispatch
import Swallow

struct FutureRequest<Value: Sendable>: Sendable {
    let maker: TaskMaker
    let type: Any.Type
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
        // Cancelling `task.outcome` alone leaves the task running if it has other handlers.
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

    func entity(_ content: TaskContent) throws -> Entity<Value> {
        content.head.withContent(try read(content))
    }
}

/// Creates the tasks of a future. It is a class, because closures would otherwise copy the large service.
final class TaskMaker: Sendable {
    let service: WebService
    private let request: @Sendable (WebService) throws -> ServiceTask

    init(_ service: WebService, _ request: @escaping @Sendable (WebService) throws -> ServiceTask) {
        var service = service
        service.startTasksImmediately = false
        self.service = service
        self.request = request
    }

    func task() throws -> ServiceTask { try request(service) }

    func loadTask<Content>(
        fromCachesAlone: Bool = false, confirming data: Entity<Content>?
    ) throws -> ServiceTask {
        try request(service.loading(fromCachesAlone: fromCachesAlone, confirming: data))
    }
}
