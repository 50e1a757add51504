/// Makes a request's task anew at each start. A class, so that the service, a large value, is captured once.
final class TaskMaker: Sendable {
    /// The service, which starts no task by itself.
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

    /// Makes the task of a resource's load, on its terms.
    func task(on terms: LoadTerms) throws -> ServiceTask { try request(service.loading(on: terms)) }
}
