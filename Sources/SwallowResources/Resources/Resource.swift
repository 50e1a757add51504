import Foundation
import Observation
import Swallow

/// The latest state of something on the server, for all code that shows it. Isolated to the main actor.
///
/// ```swift
/// let stores = resources.resource("/stores", as: [Store].self)
/// stores.addObserver(owner: self) { screen, stores, _ in screen.show(stores.latestContent ?? []) }
/// stores.loadIfNeeded()
/// ```
///
/// - **Data stays.** If a load fails, ``latestEntity`` stays. A failure except a cancellation sets ``latestError``.
/// - **One load.** ``load()`` replaces the running load, which then no longer changes the data.
/// - **Cached data first.** By default, a load without earlier data can show data from the pipeline's caches until the
///   server responds. Later loads can ask the server whether the data has changed (RFC 9110 §13.1).
/// - **Observation.** Observe a resource with a closure, a ``ResourceObserver``, ``events``, or Swift's Observation.
@MainActor
public final class Resource<Content: Sendable>: AnyResource, Observable {
    /// The latest data with its header fields and with the pending changes. It stays if a load fails.
    public var latestEntity: Entity<Content>? {
        guard let changedContent else { return serverEntity }
        return serverEntity?.withContent(changedContent)
    }

    /// The latest data without the pending changes.
    var serverEntity: Entity<Content>? {
        get { signals.reading(\.data, data) }
        set { signals.changing(\.data) { signals.changing(\.content) { show(newValue) } } }
    }

    var changes: [PendingChange<Content>] {
        get { signals.reading(\.changes, unsentChanges) }
        set { signals.changing(\.changes) { unsentChanges = newValue } }
    }

    /// The latest load's error. `nil` during a load, and after a success, an override or a wipe. Cancelling a load
    /// restores the earlier error.
    public internal(set) var latestError: ServiceError? {
        get { signals.reading(\.error, error) }
        set { signals.changing(\.error) { error = newValue } }
    }

    /// The age up to which data is up to date. `nil`, the default, means the configuration's `expirationTime`.
    public var expirationTime: Duration? {
        get { signals.reading(\.expiry, ownExpirationTime) }
        set { signals.changing(\.expiry) { ownExpirationTime = newValue } }
    }

    /// The time from a failure until ``loadIfNeeded()`` loads again. `nil`, the default, is the configured `retryTime`.
    public var retryTime: Duration? {
        get { signals.reading(\.expiry, ownRetryTime) }
        set { signals.changing(\.expiry) { ownRetryTime = newValue } }
    }

    /// The triggers that refresh the resource while it is observed. `nil`, the default, uses the store's triggers.
    public var refreshTriggers: Set<RefreshTrigger>? {
        didSet { if let entry { store?.startWait(of: entry) } }
    }

    var loading: Loading<Content>? {
        get { signals.reading(\.loading, latestLoading) }
        set { signals.changing(\.loading) { latestLoading = newValue } }
    }

    /// The number of invalidations. Data or a failure is out of date if the number has grown since its load began.
    var invalidations: Int {
        get { signals.reading(\.invalidations, invalidationCount) }
        set { signals.changing(\.invalidations) { invalidationCount = newValue } }
    }

    var requests: [WeakTask] {
        get { signals.reading(\.requests, sentRequests) }
        set { signals.changing(\.requests) { sentRequests = newValue } }
    }

    private let signals = ResourceSignals()
    private var data: Entity<Content>?
    private var changedContent: Content?
    private var unsentChanges: [PendingChange<Content>] = []
    private var error: ServiceError?
    private var latestLoading: Loading<Content>?
    private var invalidationCount = 0
    private var sentRequests: [WeakTask] = []
    private var ownExpirationTime: Duration?
    private var ownRetryTime: Duration?

    var dataInvalidations = 0
    var failureInvalidations = 0
    /// Whether the app has set the data, so that loads send no validators for it.
    var isOverridden = false
    var revision = 0
    var failureTimestamp: Date?
    var hasLoaded = false
    var observers = ObserverList<Content>()
    var followers: [Follower] = []
    var callouts: [@MainActor () -> Void] = []
    var eventCount = 0

    weak var entry: ResourceStore.Entry?
    weak var store: ResourceStore?
    let current: ResourceStore.Current?
    let future: @MainActor () -> ServiceFuture<Content>
    var address: String?

    /// Creates a resource without a store, for example from a repository's future. Nothing is sent yet.
    ///
    /// If the future isn't one request, for example after ``ServiceFuture/andThen(_:)``, the resource has no URL, and
    /// doesn't show cached data before the server responds.
    public init(_ future: ServiceFuture<Content>) {
        current = nil
        self.future = { future }
    }

    init(
        address: String?, store: ResourceStore?, _ future: @escaping @MainActor () -> ServiceFuture<Content>
    ) {
        self.address = address
        self.store = store
        current = store?.current
        self.future = future
    }
}

// MARK: - State

extension Resource {
    /// The content of the latest data. Observation reports no change if a 304 confirms it.
    public var latestContent: Content? { signals.reading(\.content, changedContent ?? data?.content) }

    /// Whether there is content, regardless of its age.
    public var hasContent: Bool { signals.reading(\.content, data != nil) }

    func confirm(_ confirmed: Entity<Content>) {
        signals.changing(\.data) { show(confirmed) }
    }

    private func show(_ entity: Entity<Content>?) {
        data = entity
        changedContent =
            unsentChanges.isEmpty
            ? nil : entity.map { unsentChanges.reduce(into: $0.content) { $1.apply(&$0) } }
    }

    /// Returns the content if it is of the given type, for example for a resource of type `any Sendable`.
    public func typedContent<Model>(as type: Model.Type = Model.self) -> Model? {
        latestContent as? Model
    }

    /// Returns the content if it is of the given type, otherwise a default value.
    public func typedContent<Model>(ifNone value: @autoclosure () -> Model) -> Model {
        typedContent() ?? value()
    }

    /// The content, the error and the running load in one value, for a screen to switch over.
    public var state: ResourceState<Content> {
        if isLoading { return .loading(latestContent) }
        if let latestError { return .failed(latestError, latestContent) }
        return latestContent.map { .loaded($0) } ?? .empty
    }

    /// Whether a load is running.
    public var isLoading: Bool { loading != nil }

    /// Whether a load or a request made by ``request(_:parameters:options:)`` is running.
    public var isRequesting: Bool {
        // Both values are read, so that Observation tracks both. `||` alone could skip the second one.
        let isSending = requests.contains { $0.task?.state == .running }
        return isLoading || isSending
    }

    /// The progress of the latest load from 0 to 1, by the bytes sent and received. During a load, it is 0 while the
    /// number of bytes isn't known. Observation doesn't report every change, so poll it.
    public var progress: Double {
        if let loading { return loading.progress }
        return hasLoaded || serverEntity != nil || latestError != nil ? 1 : 0
    }

    /// The time of ``latestError``. Without an error, the time when the data arrived or was confirmed, or `nil`.
    public var timestamp: Date? {
        latestError == nil ? serverEntity?.timestamp : failureTimestamp
    }

    /// Whether the latest data is at most ``expirationTime`` old, or after a failure, whether the failure is at most
    /// ``retryTime`` old. An invalidation makes it false. No event is raised when the data or failure becomes too old.
    public var isUpToDate: Bool {
        let hasFailed = latestError != nil
        guard let timestamp, invalidations == (hasFailed ? failureInvalidations : dataInvalidations)
        else { return false }
        return isInTime(timestamp, hasFailed: hasFailed)
    }

    func isInTime(_ timestamp: Date, hasFailed: Bool = false) -> Bool {
        let limit =
            hasFailed
            ? retryTime ?? configuration.retryTime : expirationTime ?? configuration.expirationTime
        // A time in the future, for example after the clock was set back, doesn't count as up to date.
        return (0...max(0, limit / .seconds(1))).contains(clock.now.timeIntervalSince(timestamp))
    }

    var clock: any ServiceClock { service?.clock ?? .system }

    private var configuration: WebService.Configuration {
        let (service, path) = destination
        return service.configuration(of: .GET, path)
    }
}

struct WeakTask {
    weak var task: ServiceTask?
}

/// Reports reads and changes of properties to Observation. In a generic class, each key path would take 4 µs.
@MainActor
final class ResourceSignals: Observable {
    nonisolated var data: Void {}
    nonisolated var changes: Void {}
    nonisolated var content: Void {}
    nonisolated var error: Void {}
    nonisolated var loading: Void {}
    nonisolated var invalidations: Void {}
    nonisolated var requests: Void {}
    nonisolated var expiry: Void {}

    private let registrar = ObservationRegistrar()

    func reading<Value>(_ part: KeyPath<ResourceSignals, Void>, _ value: @autoclosure () -> Value) -> Value {
        registrar.access(self, keyPath: part)
        return value()
    }

    func changing(_ part: KeyPath<ResourceSignals, Void>, _ change: () -> Void) {
        registrar.withMutation(of: self, keyPath: part, change)
    }
}
