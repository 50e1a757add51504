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

// MARK: - Other resources

extension Resource {
    /// The resource at a path below this one's, whose query is left out: `/users/7` has the child `posts` at
    /// `/users/7/posts`.
    public func child<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard let address else { return other(nil, as: type) }
        let location = address.locationAndQuery.location
        let hasSlash = location.utf8.last == UInt8(ascii: "/") || path.text.utf8.first == UInt8(ascii: "/")
        return other("\(raw: String(location))\(raw: hasSlash ? "" : "/")\(path)", as: type)
    }

    /// The resource at a URL reference, such as one that an answer holds, relative to this one's URL (RFC 3986 §5): a
    /// path, an absolute path, a query or a whole URL.
    public func relative<C: Sendable>(_ path: Request.Path, as type: C.Type) -> Resource<C> {
        guard let url, path.problem == nil else { return other(path.problem == nil ? nil : path, as: type) }
        return other(
            URL(string: path.text, relativeTo: url).map { Request.Path($0.absoluteURL) }, as: type)
    }

    /// ``relative(_:as:)`` where there is a reference, else nil.
    public func optionalRelative<C: Sendable>(_ path: Request.Path?, as type: C.Type) -> Resource<C>? {
        path.map { relative($0, as: type) }
    }

    /// The resource of the same URL with other items in its query, which are sorted by name: those of the names given are
    /// replaced, and removed where the value is null.
    public func withParameters(_ parameters: Parameters) -> Resource {
        guard let url, let service else { return other(nil, as: Content.self) }
        let (location, query) = url.absoluteString.locationAndQuery
        let configuration = service.configuration(of: .GET, Request.Path(url))
        do {
            var items = query.split(separator: "&").map(QueryItem.init)
            for member in parameters.members {
                items.removeAll { $0.isNamed(member.name) }
                if case .null = member.value.form { continue }
                let written = try configuration.parameterEncoding.query(
                    Parameters(members: [member]).written(by: configuration.jsonCoding))
                items += written.split(separator: "&").map(QueryItem.init)
            }
            let text = items.sorted { $0.name < $1.name }.map(\.text).joined(separator: "&")
            return other("\(raw: location + (text.isEmpty ? "" : "?\(text)"))", as: Content.self)
        } catch {
            return Resource(ServiceFuture(error: ServiceError(.invalidRequest, detail: error.description)))
        }
    }

    private func other<C: Sendable>(_ path: Request.Path?, as type: C.Type) -> Resource<C> {
        guard let path else {
            let detail = "a resource without a URL has no other one beside it"
            return Resource<C>(ServiceFuture(error: ServiceError(.invalidURL, detail: detail)))
        }
        if let store { return store.resource(path, as: type) }
        guard let service else { return other(nil, as: type) }
        return Resource<C>(service.resource(path, as: type))
    }
}

/// A part of a query between two ampersands.
private struct QueryItem {
    let text: Substring
    /// The decoded name.
    let name: String

    init(_ text: Substring) {
        self.text = text
        let name = text.prefix { $0 != "=" }
        self.name = name.removingPercentEncoding ?? String(name)
    }

    /// Whether it is of a parameter: also as one of an array's elements or an object's members.
    func isNamed(_ parameter: String) -> Bool {
        name == parameter || name.hasPrefix("\(parameter)[")
    }
}

/// Tells a resource or its store of tasks, on the main actor.
struct ResourceWatcher: TaskWatcher {
    var wrote: @MainActor (ServiceTask) -> Void
    var refreshed: @MainActor (ServiceTask) -> Void
    var ended: @MainActor (ServiceTask) -> Void = { _ in }

    func taskHasWritten(_ task: ServiceTask) {
        // In the main queue before whatever the task's handlers do there.
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { wrote(task) } }
    }

    func taskHasRefreshed(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { refreshed(task) } }
    }

    func taskHasEnded(_ task: ServiceTask) {
        DispatchQueue.mainActor.async { MainActor.assumeIsolated { ended(task) } }
    }
}
