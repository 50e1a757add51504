import Foundation
import Swallow

extension Resource {
    /// The URL of a load, before `adaptRequest` changes it. `nil` if the future isn't one request, or has no valid URL.
    public var url: URL? {
        if address == nil { address = (try? future().request?.maker.task())?.address }
        return address.flatMap { URL(string: $0) }
    }

    /// Sends a request to the resource's URL, as `WebService.request(_:path:parameters:options:)` does. By itself, the
    /// response doesn't change the resource's data. If the resource has no URL, the task fails with `.invalidURL`.
    ///
    /// If the complete final response to a request with an unsafe method (RFC 9110 §9.2.1) has a status of 200 to 399,
    /// the store's resources of the path are invalidated, whatever their query or type, unless they use the response
    /// themselves. Observed resources start to load before handlers of the complete response run on the main actor.
    @discardableResult
    public func request(
        _ method: Request.Method, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        let (service, path) = destination
        var watched = service.reporting { [weak self, weak store] task in
            if let store { store.pathHasChanged(by: task) } else { self?.pathHasChanged(by: task) }
        } refreshed: { [weak self, weak store] task in
            if let store { store.cachesHaveRefreshed(by: task) } else { self?.cachesHaveRefreshed(by: task) }
        } ended: { [weak self] _ in
            self?.requests.removeAll { ($0.task?.state ?? .completed) == .completed }
        }
        let starts = current?.service.startTasksImmediately ?? true
        watched.startTasksImmediately = false
        let task = watched.request(method, path: path, parameters: parameters, options: options)
        requests.append(WeakTask(task: task))
        return starts ? task.resume() : task
    }

    /// The service and the path of the requests, which fail with `.invalidURL` if the resource has no URL.
    var destination: (service: WebService, path: Request.Path) {
        guard let url, let service else { return (WebService(baseURLString: ""), "") }
        return (service, Request.Path(url))
    }

    var service: WebService? { current?.service ?? future().maker?.service }
}

extension WebService {
    func resource<Content: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: Content.Type
    ) -> ServiceFuture<Content> {
        future(of: (any Sendable).self) {
            $0.GET(path, parameters: parameters)
        } reading: {
            try $0.value(as: type, takesParsed: true)
        }
    }

    /// Returns the URL of a GET request before `adaptRequest` changes it, or `nil` if it isn't valid.
    func address(_ path: Request.Path, _ parameters: Parameters = [:]) -> String? {
        var service = self
        service.startTasksImmediately = false
        service.log = nil
        return service.GET(path, parameters: parameters).address
    }

    func reporting(
        wrote: @escaping @MainActor (ServiceTask) -> Void,
        refreshed: @escaping @MainActor (ServiceTask) -> Void,
        ended: (@MainActor (ServiceTask) -> Void)? = nil
    ) -> WebService {
        // `wrote` and `ended` are enqueued on the main queue before the task's handlers.
        let onMainActor = { (report: @escaping @MainActor (ServiceTask) -> Void) in
            { @Sendable task in DispatchQueue.main.async { MainActor.assumeIsolated { report(task) } } }
        }
        return watched(
            wrote: onMainActor(wrote), refreshed: onMainActor(refreshed), ended: ended.map(onMainActor))
    }
}
