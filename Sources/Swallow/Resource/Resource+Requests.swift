import Foundation

extension Resource {
    /// The URL that it is loaded from, as encoded before `Configuration.adaptRequest`; nil for a future of several
    /// steps, and for a path that makes no URL.
    public var url: URL? {
        if address == nil { address = (try? future().request?.maker.task())?.address }
        return address.flatMap { URL(string: $0) }
    }

    /// Makes a request to the resource's URL, as ``WebService/request(_:path:parameters:options:)-(_,_,Parameters,_)``
    /// does: it isn't a load, and changes nothing here by itself.
    ///
    /// A success of a method that isn't safe (RFC 9110 §9.2.1) invalidates every resource of the path in the store,
    /// whatever its query or type, and reloads those that are observed, before the task's handlers on the main actor run;
    /// without a store, this resource. A resource without a URL ends the task with `.invalidURL`.
    @discardableResult
    public func request(
        _ method: Request.Method, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        let url = url
        let watcher = ResourceWatcher(
            wrote: { [weak self, weak store] task in
                if let store { store.pathHasChanged(by: task) } else { self?.pathHasChanged(by: task) }
            },
            refreshed: { [weak self, weak store] task in
                if let store {
                    store.cachesHaveRefreshed(by: task)
                } else {
                    self?.cachesHaveRefreshed(by: task)
                }
            },
            ended: { [weak self] _ in
                self?.requests.removeAll { ($0.task?.state ?? .completed) == .completed }
            })
        let known = url == nil ? nil : service
        var service = (known ?? WebService(baseURLString: "")).watched(by: watcher)
        let starts = store?.plainService.startTasksImmediately ?? true
        service.startTasksImmediately = false
        service.expectsResume = !starts
        let task = service.request(
            method, path: url.map { Request.Path($0) } ?? "", parameters: parameters, options: options)
        requests.append(WeakTask(task: task))
        return starts ? task.resume() : task
    }

    /// The service that the resource is loaded by.
    var service: WebService? { store?.plainService ?? future().maker?.service }
}

/// Reports the events of tasks to a resource or its store, on the main actor.
struct ResourceWatcher: TaskWatcher {
    var wrote: @MainActor (ServiceTask) -> Void
    var refreshed: @MainActor (ServiceTask) -> Void
    var ended: @MainActor (ServiceTask) -> Void = { _ in }

    func taskHasWritten(_ task: ServiceTask) {
        // Enqueued on the main queue before the task's own handlers.
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { wrote(task) } }
    }

    func taskHasRefreshed(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { refreshed(task) } }
    }

    func taskHasEnded(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { ended(task) } }
    }
}
