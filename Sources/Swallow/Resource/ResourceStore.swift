import Foundation

/// The resources of a service: one for each URL and type, whoever asks.
///
/// ```swift
/// let resources = ResourceStore(service: service)
/// let stores = resources.resource("/stores", parameters: ["zip": "15217"], as: [Store].self)
/// ```
///
/// - **Kept.** It keeps resources that are observed, and others only while somebody holds them. One whose observers are
///   all gone is let go of when that is seen: at its next event, or after some look-ups, or by ``flushUnused()``.
/// - **Written to.** A success of a method that isn't safe (RFC 9110 §9.2.1), by ``service`` or by
///   ``Resource/request(_:parameters:options:)``, invalidates every resource of that path, whatever its query or type,
///   and reloads those that are observed.
///
/// Make one for each service, and hand it to those who show what it has. All of it is on the main actor.
@MainActor
public final class ResourceStore {
    /// A resource, as long as there is one.
    final class Entry {
        let url: String
        let location: Substring
        let type: ObjectIdentifier
        weak var resource: (any StoredResource)?
        /// Keeps the resource while it is observed.
        var retained: (any StoredResource)?

        init(url: String, type: ObjectIdentifier) {
            self.url = url
            location = url.locationAndQuery.location
            self.type = type
        }
    }

    /// What somebody asked for: finds a resource without encoding a URL.
    private struct Spelling: Hashable {
        let path: Request.Path
        let parameters: Parameters
        let type: ObjectIdentifier
    }

    /// The service that resources load by, which outlive their store where somebody holds them.
    @MainActor
    private final class Current {
        var service: WebService

        nonisolated init(_ service: WebService) {
            self.service = service
        }
    }

    private let current: Current
    var plainService: WebService { current.service }
    private var bySpelling: [Spelling: Entry] = [:]
    private var byLocation: [Substring: [Entry]] = [:]
    /// How many entries the last look at all of them has left, and how many came since.
    private var keptEntries = 0
    private var newEntries = 0

    /// Makes a store without a resource.
    public nonisolated init(service: WebService) {
        current = Current(service)
    }

    /// The service, whose writes reach the store's resources.
    ///
    /// Another one, as after a login, is what they load by from then on, each from its URL.
    public var service: WebService {
        get {
            plainService.watched(by: ResourceWatcher { [weak self] in self?.pathHasChanged(by: $0) })
        }
        set {
            current.service = newValue.watched(by: nil)
            bySpelling = [:]
        }
    }

    /// The resource of a URL and a type; the same one as long as there is one. Nothing is sent.
    ///
    /// - Parameters:
    ///   - path: as the verbs of ``WebService`` take it. One that makes no URL gives a resource whose loads fail.
    ///   - parameters: go into the query, in the order written; none by default.
    ///   - type: what its content is: what the pipeline makes, if it is of that type, else what is decoded from JSON.
    ///     `JSON` and `Data` are the body's.
    public func resource<C: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: C.Type
    ) -> Resource<C> {
        let spelling = Spelling(path: path, parameters: parameters, type: ObjectIdentifier(type))
        if let known = bySpelling[spelling]?.resource as? Resource<C> { return known }
        guard let url = plainService.address(path, parameters) else {
            return Resource(address: nil, store: self) { [current] in
                current.service.resource(path, parameters: parameters, as: type)
            }
        }
        let location = url.locationAndQuery.location
        let entry =
            byLocation[location]?.first { $0.type == spelling.type && $0.url == url }
            ?? add(url, spelling.type)
        bySpelling[spelling] = entry
        if let known = entry.resource as? Resource<C> { return known }
        return make(at: entry)
    }

    private func make<C: Sendable>(at entry: Entry) -> Resource<C> {
        let path = Request.Path(entry.url)
        let resource = Resource<C>(address: entry.url, store: self) { [current] in
            current.service.resource(path, as: C.self)
        }
        resource.entry = entry
        entry.resource = resource
        return resource
    }

    private func add(_ url: String, _ type: ObjectIdentifier) -> Entry {
        // As many look-ups as there are entries pay for a look at all of them.
        if newEntries > max(64, keptEntries) { flushUnused() }
        newEntries += 1
        let entry = Entry(url: url, type: type)
        byLocation[entry.location, default: []].append(entry)
        return entry
    }
}

extension ResourceStore {
    /// Wipes the resources whose URL matches a pattern; see ``Resource/wipe()``.
    ///
    /// - Parameters:
    ///   - pattern: relative to the service's base URL; all by default.
    ///   - caches: whether the caches forget what matches, too; false by default. See ``WebService/wipeCaches(_:)``.
    public func wipe(_ pattern: URLPattern = .all, caches: Bool = false) {
        for entry in entries where pattern.matches(entry.url, relativeTo: plainService.base) {
            entry.resource?.wipeAlone()
        }
        if caches { plainService.wipeCaches(pattern) }
    }

    /// Lets go of resources whose observers are gone, and of what is left of those that nobody held.
    public func flushUnused() {
        for entry in entries { _ = entry.resource?.isObserved }
        for (location, entries) in byLocation {
            let living = entries.filter { $0.resource != nil }
            byLocation[location] = living.isEmpty ? nil : living
        }
        bySpelling = bySpelling.filter { $0.value.resource != nil }
        keptEntries = byLocation.values.reduce(0) { $0 + $1.count }
        newEntries = 0
    }

    /// How many resources there are or, since the last look at all, were.
    var size: Int { keptEntries + newEntries }

    private var entries: [Entry] { byLocation.values.flatMap { $0 } }

    /// Does something with the resources of a URL, whatever their type.
    func forEach(at url: String, _ body: (any StoredResource) -> Void) {
        for entry in byLocation[url.locationAndQuery.location] ?? [] where entry.url == url {
            if let resource = entry.resource { body(resource) }
        }
    }

    /// Has the resources of a path know that it was written to.
    func pathHasChanged(by task: ServiceTask) {
        for entry in byLocation[task.request.urlString.locationAndQuery.location] ?? [] {
            entry.resource?.pathHasChanged(by: task)
        }
    }
}
