import Foundation
import Swallow

/// The resources of a service, one for each URL and type. Isolated to the main actor.
///
/// ```swift
/// let resources = ResourceStore(service: service)
/// let stores = resources.resource("/stores", parameters: ["zip": "15217"], as: [Store].self)
/// ```
///
/// - **Lifetime.** The store keeps observed resources alive. Each lookup and each event checks up to four resources,
///   and releases those that are no longer observed. ``flushUnused()`` checks all of them.
/// - **Refresh.** If a cache refreshes a response in the background for a task of ``service`` (RFC 5861 §3), resources
///   with the response's URL can show the new data.
/// - **Writes.** If an unsafe method (RFC 9110 §9.2.1) succeeds through ``service`` or
///   ``Resource/request(_:parameters:options:)``, the resources of the path are invalidated, whatever their query or
///   type, unless they use the response themselves. Observed resources then load again.
@MainActor
public final class ResourceStore {
    /// The store's reference to a resource. `retained` keeps an observed resource alive.
    final class Entry {
        let url: String
        let location: String
        let type: ObjectIdentifier
        weak var resource: (any StoredResource)?
        fileprivate(set) var retained: (any StoredResource)?
        fileprivate var place = 0
        var wait: RefreshWait?

        init(url: String, type: ObjectIdentifier) {
            self.url = url
            location = url.plainLocation
            self.type = type
        }
    }

    /// The arguments of a lookup. A repeated lookup finds its resource by them, without encoding a URL.
    private struct Spelling: Hashable {
        let path: Request.Path
        let parameters: Parameters
        let type: ObjectIdentifier
    }

    /// The service, in a separate object because resources may outlive their store.
    @MainActor
    final class Current {
        var service: WebService

        nonisolated init(_ service: WebService) {
            self.service = service
        }
    }

    #if canImport(Darwin)
        // Unsafe: only the initializer uses the event source.
        private nonisolated(unsafe) let memoryPressure = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: .main)
    #endif
    let current: Current
    var plainService: WebService { current.service }
    private var bySpelling: [Spelling: Entry] = [:]
    private var byLocation: [String: [Entry]] = [:]
    /// The entries whose resources the store retains. `nextLook` is the index of the entry to check next.
    private(set) var observed: [Entry] = []
    private var nextLook = 0
    private static let looks = 4
    /// The number of entries after the last check of all entries. `newEntries` counts the entries added since then.
    private var checkedEntries = 0
    private var newEntries = 0

    /// The triggers that refresh observed resources without their own triggers. The default is none.
    public var refreshTriggers: Set<RefreshTrigger> = [] {
        didSet { for entry in observed { startWait(of: entry) } }
    }
    var alarm: (time: Date, timer: ScheduledWork)?
    var isUnreachable = false
    var lastReturn: Date?
    let systemEvents = SystemEvents()

    /// Creates a store without resources.
    public nonisolated init(service: WebService) {
        current = Current(service)
        #if canImport(Darwin)
            memoryPressure.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.flushUnused() } }
            memoryPressure.activate()
        #endif
    }

    /// The service. Writes through it invalidate the store's resources of their path.
    ///
    /// Later loads use a new service. If its `Authenticator.identity` at the base URL differs, all resources are wiped.
    public var service: WebService {
        get {
            plainService.reporting(
                wrote: { [weak self] in self?.pathHasChanged(by: $0) },
                refreshed: { [weak self] in self?.cachesHaveRefreshed(by: $0) })
        }
        set {
            let identity = plainService.identity
            current.service = newValue.watched()
            bySpelling = [:]
            if plainService.identity != identity {
                for entry in entries { entry.resource?.wipeAlone() }
            }
        }
    }

    /// Returns the resource of a URL and a type, which is the same object as long as it exists. Nothing is sent.
    ///
    /// - Parameters:
    ///   - path: The path, as for the verbs of `WebService`. If the URL isn't valid, the resource's loads fail.
    ///   - parameters: The query, in the order written. The default is none.
    ///   - type: The content's type, for example a `Decodable` type, `JSON` or `Data`.
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
        let entry = entry(at: url, spelling.type)
        // Storing `spelling` itself would make each lookup 8 % slower, because it would copy the arguments.
        bySpelling[Spelling(path: path, parameters: parameters, type: spelling.type)] = entry
        return resource(of: entry) { [current] in
            current.service.resource(Request.Path(url), as: C.self)
        }
    }

    func resource<C: Sendable>(_ future: @escaping @MainActor () -> ServiceFuture<C>) -> Resource<C> {
        releaseSomeUnobserved()
        guard let url = (try? future().maker?.task())?.address else {
            return Resource(address: nil, store: self, future)
        }
        return resource(of: entry(at: url, ObjectIdentifier(C.self)), future)
    }

    private func entry(at url: String, _ type: ObjectIdentifier) -> Entry {
        byLocation[url.plainLocation]?.first { $0.type == type && $0.url == url } ?? add(url, type)
    }

    private func resource<C: Sendable>(
        of entry: Entry, _ future: @escaping @MainActor () -> ServiceFuture<C>
    ) -> Resource<C> {
        if let known = entry.resource as? Resource<C> { return known }
        let resource = Resource(address: entry.url, store: self, future)
        resource.entry = entry
        entry.resource = resource
        return resource
    }

    private func add(_ url: String, _ type: ObjectIdentifier) -> Entry {
        // This waits until the number of entries has at least doubled, so the average cost of a lookup is constant.
        if newEntries > max(64, checkedEntries) { flushUnused() }
        newEntries += 1
        let entry = Entry(url: url, type: type)
        byLocation[entry.location, default: []].append(entry)
        return entry
    }
}

extension ResourceStore {
    /// Wipes the resources whose URL matches a pattern (see ``Resource/wipe()``).
    ///
    /// - Parameters:
    ///   - pattern: The pattern, relative to the service's base URL. By default, all resources match.
    ///   - caches: Whether to also remove matching responses from the caches. The default is false.
    public func wipe(_ pattern: URLPattern = .all, caches: Bool = false) {
        for entry in entries where plainService.matches(entry.url, pattern) {
            entry.resource?.wipeAlone()
        }
        if caches { plainService.wipeCaches(pattern) }
    }

    /// Invalidates the resources whose URL matches a pattern (see ``Resource/invalidate()``).
    ///
    /// - Parameter pattern: The pattern, relative to the service's base URL. By default, all resources match.
    public func invalidate(_ pattern: URLPattern = .all) {
        for entry in entries where plainService.matches(entry.url, pattern) {
            entry.resource?.markInvalidated()
        }
    }

    /// Releases all resources that are no longer observed, and forgets those that no longer exist.
    public func flushUnused() {
        for entry in entries { _ = entry.resource?.isObserved }
        for (location, entries) in byLocation {
            let living = entries.filter { $0.resource != nil }
            byLocation[location] = living.isEmpty ? nil : living
        }
        bySpelling = bySpelling.filter { $0.value.resource != nil }
        checkedEntries = byLocation.values.reduce(0) { $0 + $1.count }
        newEntries = 0
    }

    func retain(_ resource: any StoredResource, at entry: Entry) {
        guard entry.retained == nil else { return }
        entry.retained = resource
        entry.place = observed.count
        observed.append(entry)
        startWait(of: entry)
    }

    func release(_ entry: Entry) {
        guard entry.retained != nil, let last = observed.popLast() else { return }
        if last !== entry {
            last.place = entry.place
            observed[entry.place] = last
        }
        entry.retained = nil
        entry.wait = nil
    }

    func releaseSomeUnobserved() {
        for _ in 0..<min(Self.looks, observed.count) {
            if nextLook >= observed.count { nextLook = 0 }
            if nextLook < observed.count, observed[nextLook].retained?.isObserved == true { nextLook += 1 }
        }
    }

    var size: Int { checkedEntries + newEntries }

    private var entries: [Entry] { byLocation.values.flatMap { $0 } }

    func forEach(at url: String, _ body: (any StoredResource) -> Void) {
        for entry in byLocation[url.plainLocation] ?? [] where entry.url == url {
            if let resource = entry.resource { body(resource) }
        }
    }

    func cachesHaveRefreshed(by task: ServiceTask) {
        guard let address = task.address else { return }
        forEach(at: address) { $0.cachesHaveRefreshed(by: task) }
    }

    func pathHasChanged(by task: ServiceTask) {
        for entry in byLocation[task.request.urlString.plainLocation] ?? [] {
            entry.resource?.pathHasChanged(by: task)
        }
    }
}

extension WebService {
    fileprivate var identity: String? { configuration(of: .GET, "").authenticator?.identity }
}
