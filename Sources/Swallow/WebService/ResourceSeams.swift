import Dispatch
import Foundation

// Package declarations for SwallowResources. SwallowWebSockets also uses some of them.

extension WebService {
    /// Returns a copy of the service whose tasks call these closures, on any thread. `wrote` is called for a complete
    /// response with status 200 to 399 to an unsafe method (RFC 9110 §9.2.1), `ended` when a task completes. Handlers
    /// receive the outcome later. `refreshed` is called if a background request validates or replaces a stale response.
    package func watched(
        wrote: (@Sendable (ServiceTask) -> Void)? = nil, refreshed: (@Sendable (ServiceTask) -> Void)? = nil,
        ended: (@Sendable (ServiceTask) -> Void)? = nil
    ) -> WebService {
        let watcher = TaskWatcher(taskHasWritten: wrote, taskHasRefreshed: refreshed, taskHasEnded: ended)
        return withContext(watcher: watcher, load: context?.load)
    }
}

extension WebService {
    /// Returns a copy of the service whose tasks have the policy `.onlyCache` or `.validate`, unless the request's own
    /// policy is `.ignore`, `.reload` or `.onlyCache`. Without stored validators, they send the validators of `data`.
    package func loading<Content>(fromCachesAlone: Bool, confirming data: Entity<Content>?) -> WebService {
        withContext(
            watcher: context?.watcher, load: fromCachesAlone ? .caches : .server(data?.validators))
    }
}

extension ServiceTask {
    /// Returns whether a resource's load may show a stored response, or may complete with one of this `freshness`.
    package func mayShowStoredResponse(completing freshness: Freshness? = nil) -> Bool {
        guard context?.load != nil, plan.hasCaches, request.method == .GET else { return false }
        guard let freshness else { return ![.ignore, .reload, .onlyCache].contains(request.cachePolicy) }
        return request.cachePolicy == .standard && freshness.isFresh && allows(freshness)
    }
}

extension Entity {
    /// Returns a copy, confirmed at `timestamp`. Returns `nil` if there is a `response` that isn't a matching 304.
    package func confirmed(by response: HTTPURLResponse? = nil, at timestamp: Date) -> Entity? {
        if let response, !isConfirmed(by: response) { return nil }
        var entity = self
        entity.timestamp = timestamp
        entity.origin = .revalidated
        return entity
    }
}

package struct TaskContent: Sendable {
    fileprivate let adapter: PipelineAdapter

    package var head: Entity<HTTPURLResponse?> { adapter.rawEntity.withContent(try? adapter.successHead()) }

    /// Returns the content as a value of a type. With `takesParsed`, it may be the content that a parser returned.
    package func value<Value>(as type: Value.Type, takesParsed: Bool = false) throws(ServiceError) -> Value {
        try adapter.value(as: type, by: takesParsed ? .resource : .future)
    }

    package func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        try adapter.decodedJSON(with: decoding)
    }

    fileprivate static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == Void.self || type == URL.self { return .head }
        if type == (any Sendable).self { return .entity }
        return type == Data.self ? .bytes : .json
    }
}

extension ServiceTask {
    /// Starts the task if needed, and calls `handler` with its outcome. `read` runs off the main thread.
    package func onOutcome<Value: Sendable>(
        _ queue: DispatchQueue, of type: Any.Type,
        reading read: @escaping @Sendable (TaskContent) throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, ServiceError>) -> Void
    ) {
        let read: HandlerLink.SuccessHandler = { adapter in
            let value = try read(TaskContent(adapter: adapter))
            return {
                handler(.success(value))
                return nil
            }
        }
        attach(
            HandlerLink(
                queue.isMain ? .mainActor : queue, TaskContent.need(for: type), readsFirst: true,
                onSuccess: read
            ) { error in
                handler(.failure(error))
                return nil
            })
        resumeIfCreated()
    }

    /// Returns the task's outcome with the value that `read` returns.
    package func outcome<Value: Sendable>(
        of type: Any.Type, reading read: @escaping @Sendable (TaskContent) throws -> Value
    ) async -> Result<Value, ServiceError> {
        await awaitContent(TaskContent.need(for: type), runsAppCode: true) {
            try read(TaskContent(adapter: $0))
        }
    }
}

extension ServiceError {
    package init(thrown error: any Error, after earlier: ServiceError?) {
        self.init(
            thrown: error, request: earlier?.request, response: earlier?.response, entity: earlier?.entity)
    }
}

extension WebService {
    package func configuration(of method: Request.Method, _ path: Request.Path) -> Configuration {
        settings(for: method, url: base.joined(path)).configuration
    }

    package func matches(_ url: String, _ pattern: URLPattern) -> Bool {
        pattern.matches(url, relativeTo: base)
    }
}

extension ServiceTask {
    /// The URL before `Configuration.adaptRequest` runs. `nil` if the request can't be encoded.
    package var address: String? { (try? request.encoded())?.url?.absoluteString }
}

extension HTTPURLResponse {
    /// Returns URLs by link relation, from `references` or by default from the `Link` field (RFC 8288), resolved with
    /// the response's URL. A value is `nil` if the URL isn't an HTTP URL, or if the link to the next page is malformed.
    package func links(_ references: [String: String]? = nil) -> [String: URL?] {
        let resolve = { [url] in URL(named: $0, from: url).flatMap { Origin($0) == nil ? nil : $0 } }
        if let references { return references.mapValues(resolve) }
        guard let header = value(forHTTPHeaderField: "Link").map(LinkHeader.init) else { return [:] }
        var links = header.targets.mapValues(resolve)
        // Without this entry, the list would seem to end with this page.
        if links["next"] == nil, header.malformed.contains(where: { $0.lowercased().contains("next") }) {
            links["next"] = .some(nil)
        }
        return links
    }
}
