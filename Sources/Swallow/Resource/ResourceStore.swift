import Foundation

/// The resources of a service: one for each URL and type.
///
/// ```swift
/// let resources = ResourceStore(service: service)
/// let stores = resources.resource("/stores", parameters: ["zip": "15217"], as: [Store].self)
/// ```
///
/// - **Kept.** It keeps resources that are observed, and others only while the app holds them. Each look-up and each event
///   looks at some of those kept, and lets go of one whose observers are all gone; ``flushUnused()`` looks at all.
/// - **Refreshed.** What caches refresh in the background for a task of ``service`` (`stale-while-revalidate`, RFC 5861 §3)
///   reaches the resources of that URL that have data.
/// - **Written to.** A success of a method that isn't safe (RFC 9110 §9.2.1), by ``service`` or by
///   ``Resource/request(_:parameters:options:)``, invalidates every resource of that path, whatever its query or type,
///   and reloads those that are observed.
///
/// Make one for each service, and hand it to those who show what it has. All of it is on the main actor.
@MainActor
public final class ResourceStore {
    /// The store's reference to a resource, weak unless that is observed.
    final class Entry {
        let url: String
        let location: Substring
        let type: ObjectIdentifier
        weak var resource: (any StoredResource)?
        /// Keeps the resource while it is observed.
        fileprivate(set) var retained: (any StoredResource)?
        /// Its index in `observed`.
        fileprivate var place = 0
        weak let store: ResourceStore?

        init(url: String, type: ObjectIdentifier, store: ResourceStore) {
            self.url = url
            self.store = store
            location = url.withoutUserinfo.locationAndQuery.location
            self.type = type
        }
    }

    /// The arguments of a look-up: finds a resource without encoding a URL.
    private struct Spelling: Hashable {
        let path: Request.Path
        let parameters: Parameters
        let type: ObjectIdentifier
    }

    /// The service that resources load by. An object of its own, since resources may outlive their store.
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
    /// The entries of observed resources, and the index of the one to look at next.
    private var observed: [Entry] = []
    private var nextLook = 0
    /// How many entries each look-up and each event looks at.
    private static let looks = 4
    /// How many entries the last look at all has kept, and how many were added since.
    private var keptEntries = 0
    private var newEntries = 0

    /// Makes a store without a resource.
    public nonisolated convenience init(service: WebService) {
        self.init(service: service, .shared)
    }

    nonisolated init(service: WebService, _ pressure: MemoryPressure) {
        current = Current(service)
        pressure.add(self) { store in
            DispatchQueue.mainActor.async { MainActor.assumeIsolated { store.flushUnused() } }
        }
    }

    /// The service, whose writes reach the store's resources.
    ///
    /// Set another one, after a login for instance, and the resources load by it from then on, each from its URL. If
    /// its authenticator for the base URL has another ``Authenticator/identity``, all resources are wiped, since
    /// their data is another user's.
    public var service: WebService {
        get {
            plainService.watched(
                by: ResourceWatcher(
                    wrote: { [weak self] in self?.pathHasChanged(by: $0) },
                    refreshed: { [weak self] in self?.cachesHaveRefreshed(by: $0) }))
        }
        set {
            let identity = plainService.identity
            current.service = newValue.watched(by: nil)
            bySpelling = [:]
            if plainService.identity != identity {
                for entry in entries { entry.resource?.wipeAlone() }
            }
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
        releaseSomeUnobserved()
        let spelling = Spelling(path: path, parameters: parameters, type: ObjectIdentifier(type))
        if let known = bySpelling[spelling]?.resource as? Resource<C> { return known }
        guard let url = plainService.address(path, parameters) else {
            return Resource(address: nil, store: self) { [current] in
                current.service.resource(path, parameters: parameters, as: type)
            }
        }
        let location = url.withoutUserinfo.locationAndQuery.location
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
        let entry = Entry(url: url, type: type, store: self)
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

    /// Makes the next ``Resource/loadIfNeeded()`` of the resources whose URL matches a pattern load, whatever the age of their
    /// data; notifies no observer. See ``Resource/invalidate()``.
    ///
    /// - Parameter pattern: relative to the service's base URL; all by default.
    public func invalidate(_ pattern: URLPattern = .all) {
        for entry in entries where pattern.matches(entry.url, relativeTo: plainService.base) {
            entry.resource?.markInvalidated()
        }
    }

    /// Lets go of resources whose observers are gone, and of the entries of resources that no longer exist.
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

    /// Keeps a resource that is observed.
    func retain(_ resource: any StoredResource, at entry: Entry) {
        guard entry.retained == nil else { return }
        entry.retained = resource
        entry.place = observed.count
        observed.append(entry)
    }

    /// Lets go of a resource that isn't observed any more.
    func release(_ entry: Entry) {
        guard entry.retained != nil, let last = observed.popLast() else { return }
        if last !== entry {
            last.place = entry.place
            observed[entry.place] = last
        }
        entry.retained = nil
    }

    /// Looks at some of the resources that are kept, each time at the next ones, and lets go of those unobserved.
    func releaseSomeUnobserved() {
        for _ in 0..<min(Self.looks, observed.count) {
            if nextLook >= observed.count { nextLook = 0 }
            if nextLook < observed.count, observed[nextLook].retained?.isObserved == true { nextLook += 1 }
        }
    }

    /// How many resources there are or, since the last look at all, were.
    var size: Int { keptEntries + newEntries }

    private var entries: [Entry] { byLocation.values.flatMap { $0 } }

    /// Does something with the resources of a URL, whatever their type.
    func forEach(at url: String, _ body: (any StoredResource) -> Void) {
        for entry in byLocation[url.withoutUserinfo.locationAndQuery.location] ?? [] where entry.url == url {
            if let resource = entry.resource { body(resource) }
        }
    }

    /// Tells the resources of a URL that caches have something newer.
    func cachesHaveRefreshed(by task: ServiceTask) {
        guard let address = task.address else { return }
        forEach(at: address) { $0.cachesHaveRefreshed(by: task) }
    }

    /// Tells the resources of a path that it was written to.
    func pathHasChanged(by task: ServiceTask) {
        for entry in byLocation[task.request.urlString.withoutUserinfo.locationAndQuery.location] ?? [] {
            entry.resource?.pathHasChanged(by: task)
        }
    }
}

extension WebService {
    /// The user's identity at the base URL, by its authenticator; nil where that isn't known.
    fileprivate var identity: String? { configuration(of: .GET, "").authenticator?.identity }
}
