import Dispatch
import Foundation

// The declarations for SwallowResources: task events, load overrides, outcomes with content, and URL resolution.

// MARK: - Task events

extension WebService {
    /// Returns a copy of the service whose tasks call these closures, on any thread, before any handler runs. `wrote`
    /// reports a success or a redirect of a request that isn't safe (RFC 9110 §9.2.1). `refreshed` reports that the
    /// task's stale response was refreshed in the background. `ended` reports a response or a failure.
    package func watched(
        wrote: (@Sendable (ServiceTask) -> Void)? = nil, refreshed: (@Sendable (ServiceTask) -> Void)? = nil,
        ended: (@Sendable (ServiceTask) -> Void)? = nil
    ) -> WebService {
        let watcher = TaskWatcher(taskHasWritten: wrote, taskHasRefreshed: refreshed, taskHasEnded: ended)
        return withContext(watcher: watcher, load: context?.load)
    }
}

// MARK: - Load overrides

extension WebService {
    /// Returns a copy of the service whose tasks load a resource, from the caches alone or from the server. The server
    /// receives the validators of `data`, unless a cache has its own.
    package func loading<Content>(fromCachesAlone: Bool, confirming data: Entity<Content>?) -> WebService {
        withContext(
            watcher: context?.watcher, load: fromCachesAlone ? .caches : .server(data?.validators))
    }
}

extension ServiceTask {
    /// Returns whether a resource's load may show a stored response before the server responds. If `freshness` isn't
    /// `nil`, returns whether a stored response with this freshness completes the load.
    package func mayShowStoredResponse(completing freshness: Freshness? = nil) -> Bool {
        guard context?.load != nil, plan.hasCaches, request.method == .GET else { return false }
        guard let freshness else { return ![.ignore, .reload, .onlyCache].contains(request.cachePolicy) }
        return request.cachePolicy == .standard && freshness.isFresh && allows(freshness)
    }
}

extension Entity {
    /// Returns the entity as confirmed at a time. Returns `nil` if a response is passed and doesn't confirm the entity.
    package func confirmed(by response: HTTPURLResponse? = nil, at timestamp: Date) -> Entity? {
        if let response, !isConfirmed(by: response) { return nil }
        var entity = self
        entity.timestamp = timestamp
        entity.origin = .revalidated
        return entity
    }
}

// MARK: - Outcomes with content

package struct TaskContent: Sendable {
    fileprivate let adapter: PipelineAdapter

    package var head: Entity<HTTPURLResponse?> { adapter.rawEntity.withContent(try? adapter.successHead()) }

    /// Returns the content as a value of a type. With `takesParsed`, this may be the pipeline's `JSON` or `String`.
    package func value<Value>(as type: Value.Type, takesParsed: Bool = false) throws(ServiceError) -> Value {
        try adapter.value(as: type, by: takesParsed ? .resource : .future)
    }

    package func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        try adapter.decodedJSON(with: decoding)
    }

    /// Returns what the task must prepare before content of this type is read. A download's `URL` needs no bytes.
    fileprivate static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == Void.self || type == URL.self { return .head }
        if type == (any Sendable).self { return .entity }
        return type == Data.self ? .bytes : .json
    }
}

extension ServiceTask {
    /// Calls `handler` once with the outcome, and starts the task if needed. `read` runs on `queue`, or in the
    /// background if that is the main queue.
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

    /// Returns the outcome when the task completes. `read` runs off the main thread.
    package func outcome<Value: Sendable>(
        of type: Any.Type, reading read: @escaping @Sendable (TaskContent) throws -> Value
    ) async -> Result<Value, ServiceError> {
        await awaitContent(TaskContent.need(for: type)) { try read(TaskContent(adapter: $0)) }
    }
}

extension ServiceError {
    package init(thrown error: any Error, after earlier: ServiceError?) {
        self.init(
            thrown: error, request: earlier?.request, response: earlier?.response, entity: earlier?.entity)
    }
}

// MARK: - URL resolution

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
    /// Returns the URLs of the response's links (RFC 8288) or of `references`, resolved (RFC 3986 §5.2), by relation.
    /// The value is `nil` if the URL isn't an HTTP URL, or if the link to the next page is malformed.
    package func links(_ references: [String: String]? = nil) -> [String: URL?] {
        let resolve = { [url] in URL(named: $0, from: url).flatMap { Origin($0) == nil ? nil : $0 } }
        if let references { return references.mapValues(resolve) }
        guard let header = value(forHTTPHeaderField: "Link").map(LinkHeader.init) else { return [:] }
        var links = header.targets.mapValues(resolve)
        // Without this entry, a list of pages would end here without an error.
        if links["next"] == nil, header.malformed.contains(where: { $0.lowercased().contains("next") }) {
            links["next"] = .some(nil)
        }
        return links
    }
}
