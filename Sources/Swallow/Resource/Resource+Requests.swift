import Foundation

extension Resource {
    /// The URL that the resource is loaded from, as encoded before `WebService.Configuration.adaptRequest` runs. `nil`
    /// for a future of several steps, and for a path that isn't a valid URL.
    public var url: URL? {
        if address == nil { address = (try? future().request?.maker.task())?.address }
        return address.flatMap { URL(string: $0) }
    }

    /// Sends a request to the resource's URL, as ``WebService/request(_:path:parameters:options:)-(_,_,Parameters,_)``
    /// does. The request isn't a load, so its response doesn't change the resource's data.
    ///
    /// If a method that isn't safe succeeds (RFC 9110 §9.2.1), every resource of the path in the store is invalidated,
    /// regardless of its query or type. Observed resources are loaded again before the task's handlers on the main
    /// actor run. Without a store, this concerns only this resource. If the resource has no URL, the task fails with
    /// `.invalidURL`.
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

    /// The service that loads the resource.
    var service: WebService? { store?.plainService ?? future().maker?.service }
}

/// Reports the events of tasks to a resource or its store, on the main actor.
struct ResourceWatcher: TaskWatcher {
    var wrote: @MainActor (ServiceTask) -> Void
    var refreshed: @MainActor (ServiceTask) -> Void
    var ended: @MainActor (ServiceTask) -> Void = { _ in }

    func taskHasWritten(_ task: ServiceTask) {
        // This is enqueued on the main queue before the task's own handlers.
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { wrote(task) } }
    }

    func taskHasRefreshed(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { refreshed(task) } }
    }

    func taskHasEnded(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { ended(task) } }
    }
}
