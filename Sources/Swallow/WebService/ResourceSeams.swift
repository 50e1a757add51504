import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// SwallowResources uses the public API and the `package` declarations of this file, and nothing else. They form four
// seams: task events, load overrides, outcomes with content, and URL resolution.

// MARK: - Task events

extension WebService {
    /// Returns a copy whose tasks report events to these closures, on any thread, before any handler runs. The closures
    /// replace those of an earlier call.
    ///
    /// - Parameters:
    ///   - wrote: Called after the server responded with a success or a redirect to a request whose method isn't safe
    ///     (RFC 9110 §9.2.1).
    ///   - refreshed: Called after a background request refreshed the stale response that a cache served to the task.
    ///   - ended: Called after the task has received its response, or has failed.
    package func watched(
        wrote: (@Sendable (ServiceTask) -> Void)? = nil, refreshed: (@Sendable (ServiceTask) -> Void)? = nil,
        ended: (@Sendable (ServiceTask) -> Void)? = nil
    ) -> WebService {
        let watcher = TaskWatcher(taskHasWritten: wrote, taskHasRefreshed: refreshed, taskHasEnded: ended)
        return surrounded(watcher: watcher, load: surroundings?.load)
    }
}

// MARK: - Load overrides

extension WebService {
    /// Returns a copy whose tasks load a resource, from the caches alone or from the server. In a load from the server, no
    /// cache replaces a response that doesn't arrive.
    ///
    /// - Parameter data: The resource's data. The server is asked whether the data is unchanged, unless a cache has its
    ///   own validators.
    package func loading<Content>(fromCachesAlone: Bool, confirming data: Entity<Content>?) -> WebService {
        surrounded(
            watcher: surroundings?.watcher, load: fromCachesAlone ? .caches : .server(data?.validators))
    }
}

extension ServiceTask {
    /// Whether a resource's load may show a stored response before the server responds.
    ///
    /// - Parameter freshness: The freshness of a response that this task has read from a cache. With this argument,
    ///   returns whether the response completes the load, so that no request is needed.
    package func mayShowStoredResponse(completing freshness: Freshness? = nil) -> Bool {
        guard surroundings?.load != nil, plan.hasCaches, request.method == .GET else { return false }
        guard let freshness else { return ![.ignore, .reload, .onlyCache].contains(request.cachePolicy) }
        return request.cachePolicy == .standard && freshness.isFresh && asksNoMore(than: freshness)
    }
}

extension Entity {
    /// Returns the entity as the server has confirmed it.
    ///
    /// - Parameter response: The response that may confirm the entity, otherwise `nil` is returned. Without a response,
    ///   a cache has received the confirmation.
    package func confirmed(by response: HTTPURLResponse? = nil, at timestamp: Date) -> Entity? {
        if let response, !isConfirmed(by: response) { return nil }
        var entity = self
        entity.timestamp = timestamp
        entity.origin = .revalidated
        return entity
    }
}

// MARK: - Outcomes with content

/// The content of a response, for the closures of futures and resources.
package struct TaskContent: Sendable {
    fileprivate let adapter: PipelineAdapter

    /// The fields of the response with its head. There is no head if the content was recovered and the task has no URL.
    package var head: Entity<HTTPURLResponse?> { adapter.rawEntity.withContent(try? adapter.successHead()) }

    /// Returns the content as a value of a type. See ``ContentPolicy``.
    ///
    /// - Parameter takesParsed: Whether the value may be the pipeline's `JSON`, `String` or `Data`, as for a resource.
    ///   For a future, the value is decoded from the body.
    package func value<Value>(as type: Value.Type, takesParsed: Bool = false) throws(ServiceError) -> Value {
        try adapter.value(as: type, by: takesParsed ? .resource : .future)
    }

    /// Returns the body, read from JSON by a decoding.
    package func decoded<Value>(with decoding: Decoding<Value>) throws(ServiceError) -> Value {
        try adapter.decodedJSON(with: decoding)
    }

    /// The result that the pipeline prepares before a value of a type is read. The file of a download is a URL, so its
    /// bytes needn't be read. `any Sendable` stands for the pipeline's content, whatever its type.
    fileprivate static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == Void.self || type == URL.self { return .head }
        if type == (any Sendable).self { return .entity }
        return type == Data.self ? .bytes : .json
    }
}

extension ServiceTask {
    /// Starts the task if it was never started. Calls a handler once with the outcome, on a queue. The value is read on
    /// that queue too, but never on the main queue.
    ///
    /// - Parameter type: The type that the pipeline prepares the content for.
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
    ///
    /// - Parameter type: The type that the pipeline prepares the content for.
    package func outcome<Value: Sendable>(
        of type: Any.Type, reading read: @escaping @Sendable (TaskContent) throws -> Value
    ) async -> Result<Value, ServiceError> {
        await awaitContent(TaskContent.need(for: type)) { try read(TaskContent(adapter: $0)) }
    }
}

extension ServiceError {
    /// Creates the error for an error that a closure of the app threw.
    ///
    /// - Parameter earlier: The failure that the closure handled. The error belongs to the same request.
    package init(thrown error: any Error, after earlier: ServiceError?) {
        self.init(
            thrown: error, request: earlier?.request, response: earlier?.response, entity: earlier?.entity)
    }
}

// MARK: - URL resolution

extension WebService {
    /// Returns the configuration of the requests with a method and a path.
    package func configuration(of method: Request.Method, _ path: Request.Path) -> Configuration {
        settings(for: method, url: base.joined(path)).configuration
    }

    /// Returns whether a pattern matches a URL of this service.
    package func matches(_ url: String, _ pattern: URLPattern) -> Bool {
        pattern.matches(url, relativeTo: base)
    }
}

extension ServiceTask {
    /// The URL that the task's request is encoded with, before `Configuration.adaptRequest` runs. `nil` if the request
    /// can't be encoded.
    package var address: String? { (try? request.encoded())?.url?.absoluteString }
}

extension HTTPURLResponse {
    /// Resolves URLs that the server referred to against the response's URL (RFC 3986 §5.2). The value is `nil` if a link
    /// can't be followed, because it doesn't lead to an HTTP URL or because it is malformed.
    ///
    /// - Parameter references: URL references by relation. By default, the links of the `Link` header (RFC 8288).
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
