import Dispatch

/// A future that consists of one request, and the way to read its value.
///
/// It starts like a handler chain, without a Swift task, which would cost 19 µs. It returns the fields of the
/// response's head with the value.
struct FutureRequest<Value: Sendable>: Sendable {
    let maker: TaskMaker
    /// The content that the pipeline prepares before the value is read.
    let need: PipelineAdapter.Need
    /// Reads the value. It never runs on the main thread.
    let read: @Sendable (PipelineAdapter) throws -> Value

    func map<NewValue>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> FutureRequest<NewValue> {
        FutureRequest<NewValue>(maker: maker, need: need) { [read] in try transform(read($0)) }
    }

    @concurrent func run() async -> Result<Value, ServiceError> {
        if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
        let task: ServiceTask
        do {
            task = try maker.task()
        } catch {
            return .failure(ServiceError(thrown: error, request: nil))
        }
        // The task's own awaits leave it running if something else is attached to it.
        return await withTaskCancellationHandler {
            await task.awaitContent(need, read)
        } onCancel: {
            task.cancel()
        }
    }

    func start(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, ServiceError>) -> Void
    ) -> StartedFuture {
        do {
            let task = try maker.task()
            task.onOutcome(queue, need, read, handler)
            return StartedFuture(work: .request(task.resume()))
        } catch {
            return ServiceFuture(error: error).start(queue, handler)
        }
    }

    /// Returns the value with the fields of the response's head.
    func entity(_ adapter: PipelineAdapter) throws -> Entity<Value> {
        adapter.rawEntity.withContent(try read(adapter))
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
        service.expectsResume = false
        self.service = service
        self.request = request
    }

    func task() throws -> ServiceTask { try request(service) }

    /// Creates the task of a resource's load on the load's terms.
    func task(on terms: LoadTerms) throws -> ServiceTask { try request(service.loading(on: terms)) }
}

extension ServiceTask {
    /// Calls a handler once with the outcome, on a queue. The value is read on that queue too, but never on the main
    /// queue.
    func onOutcome<Value: Sendable>(
        _ queue: DispatchQueue, _ need: PipelineAdapter.Need,
        _ read: @escaping @Sendable (PipelineAdapter) throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, ServiceError>) -> Void
    ) {
        let read: HandlerLink.SuccessHandler = { adapter in
            let value = try read(adapter)
            return {
                handler(.success(value))
                return nil
            }
        }
        attach(
            HandlerLink(queue, need, readsFirst: true, onSuccess: read) { error in
                handler(.failure(error))
                return nil
            })
    }
}
