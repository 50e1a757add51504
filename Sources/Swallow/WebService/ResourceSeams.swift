import Dispatch
import Foundation

// SwallowResources uses only the public API and the `package` declarations of this file, which form four seams: task
// events, load overrides, outcomes with content, and URL resolution.

// MARK: - Task events

extension WebService {
    /// Returns a copy whose tasks report events to these closures, on any thread, before any handler runs.
    ///
    /// - Parameters:
    ///   - wrote: Called if a request whose method isn't safe (RFC 9110 §9.2.1) receives a success or a redirect.
    ///   - refreshed: Called after a background request refreshed the stale response that a cache served to the task.
    ///   - ended: Called after the task has received its response, or has failed.
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
    /// Returns a copy whose tasks load a resource, from the caches alone or from the server. Requests to the server
    /// have the validators of `data`, unless a cache has its own validators.
    package func loading<Content>(fromCachesAlone: Bool, confirming data: Entity<Content>?) -> WebService {
        withContext(
            watcher: context?.watcher, load: fromCachesAlone ? .caches : .server(data?.validators))
    }
}

extension ServiceTask {
    /// Whether a resource's load may show a stored response before the server responds. With `freshness`, returns
    /// whether that response completes the load.
    package func mayShowStoredResponse(completing freshness: Freshness? = nil) -> Bool {
        guard context?.load != nil, plan.hasCaches, request.method == .GET else { return false }
        guard let freshness else { return ![.ignore, .reload, .onlyCache].contains(request.cachePolicy) }
        return request.cachePolicy == .standard && freshness.isFresh && allows(freshness)
    }
}

extension Entity {
    /// Returns the entity with the time of the server's confirmation, or `nil` if the response doesn't confirm it.
    /// Without a response, a cache has received the confirmation.
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

    /// Returns the content as a value of a type. `takesParsed` is `true` if the value may be the pipeline's `JSON`,
    /// `String` or `Data`. Otherwise, it is decoded from the body.
    package func value<Value>(as type: Value.Type, takesParsed: Bool = false) throws(ServiceError) -> Value {
        try adapter.value(as: type, by: takesParsed ? .resource : .future)
    }

    package func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        try adapter.decodedJSON(with: decoding)
    }

    /// The content of a download is a URL, so its bytes needn't be read. `any Sendable` stands for any content.
    fileprivate static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == Void.self || type == URL.self { return .head }
        if type == (any Sendable).self { return .entity }
        return type == Data.self ? .bytes : .json
    }
}

extension ServiceTask {
    /// Starts the task if needed. Reads on `queue`, or in the background if it is the main queue. Calls `handler` once.
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

    /// Waits for the outcome as each `await` does, and reads the value off the main thread.
    package func outcome<Value: Sendable>(
        of type: Any.Type, reading read: @escaping @Sendable (TaskContent) throws -> Value
    ) async -> Result<Value, ServiceError> {
        await awaitContent(TaskContent.need(for: type)) { try read(TaskContent(adapter: $0)) }
    }
}

extension ServiceError {
    /// Creates the error for a closure of the app that threw `error`, possibly while it handled an earlier failure.
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
    /// Resolves URL references of a response by relation (RFC 3986 §5.2). By default, these are its links (RFC 8288).
    /// `nil` stands for a reference that isn't an HTTP URL, and for a malformed link to the next page.
    package func links(_ references: [String: String]? = nil) -> [String: URL?] {
        let resolve = { [url] in URL(named: $0, from: url).flatMap { Origin($0) == nil ? nil : $0 } }
        if let references { return references.mapValues(resolve) }
        guard let header = value(forHTTPHeaderField: "Link").map(LinkHeader.init) else { return [:] }
        var links = header.targets.mapValues(resolve)
        // Otherwise, a list of pages would end here without an error.
        if links["next"] == nil, header.malformed.contains(where: { $0.lowercased().contains("next") }) {
            links["next"] = .some(nil)
        }
        return links
    }
}
