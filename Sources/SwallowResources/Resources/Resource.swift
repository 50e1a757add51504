import Foundation
import Observation
import Swallow

/// The latest state of something on the server, shared by all the code that shows it.
///
/// ```swift
/// let stores = resources.resource("/stores", as: [Store].self)
/// stores.addObserver(owner: self) { screen, stores, _ in screen.show(stores.latestContent ?? []) }
/// stores.loadIfNeeded()
/// ```
///
/// - **Data stays.** ``latestData`` survives a failed load. ``latestError`` is the error of the latest load only.
/// - **One writer.** Only the latest load changes the data. ``load()`` cancels the load that it replaces. The handle of
///   the replaced load fails with `.cancelled`, and no event is raised for it.
/// - **Freshness.** ``loadIfNeeded()`` sends nothing while a load is running or if the data is up to date.
/// - **Cached data first, then fresh data.** The first load shows data from the pipeline's caches, then the server's
///   response. If the server is faster, only its response is shown. Later loads ask the server whether the data has
///   changed (RFC 9110 §13.1). A 304 raises ``ResourceEvent/notModified``.
/// - **Observation.** Observe a resource with a closure and its owner, a ``ResourceObserver``, ``events``, or Swift's
///   Observation, as SwiftUI does.
///
/// Resources are isolated to the main actor.
@MainActor
public final class Resource<Content: Sendable>: AnyResource, Observable {
    /// The latest data with the fields of its response. A failed load doesn't change it.
    public internal(set) var latestData: Entity<Content>? {
        get { signals.reading(\.data, data) }
        set { signals.changing(\.data) { signals.changing(\.content) { data = newValue } } }
    }

    /// The error of the latest load. `nil` while a load is running and after a success. If a load is cancelled, the
    /// earlier error is restored.
    public internal(set) var latestError: ServiceError? {
        get { signals.reading(\.error, error) }
        set { signals.changing(\.error) { error = newValue } }
    }

    /// The time for which the data is up to date. `nil`, the default, stands for `WebService.Configuration.expirationTime`.
    public var expirationTime: Duration? {
        get { signals.reading(\.expiry, ownExpirationTime) }
        set { signals.changing(\.expiry) { ownExpirationTime = newValue } }
    }

    /// The time after a failure during which ``loadIfNeeded()`` doesn't try again. `nil`, the default, stands for
    /// `WebService.Configuration.retryTime`.
    public var retryTime: Duration? {
        get { signals.reading(\.expiry, ownRetryTime) }
        set { signals.changing(\.expiry) { ownRetryTime = newValue } }
    }

    /// The running load.
    var loading: Loading<Content>? {
        get { signals.reading(\.loading, latestLoading) }
        set { signals.changing(\.loading) { latestLoading = newValue } }
    }

    /// The number of times the resource was invalidated. Data or a failure is out of date if the number was lower when
    /// its load began.
    var invalidations: Int {
        get { signals.reading(\.invalidations, invalidationCount) }
        set { signals.changing(\.invalidations) { invalidationCount = newValue } }
    }

    /// The requests made through the resource that may be running.
    var requests: [WeakTask] {
        get { signals.reading(\.requests, sentRequests) }
        set { signals.changing(\.requests) { sentRequests = newValue } }
    }

    private let signals = ResourceSignals()
    private var data: Entity<Content>?
    private var error: ServiceError?
    private var latestLoading: Loading<Content>?
    private var invalidationCount = 0
    private var sentRequests: [WeakTask] = []
    private var ownExpirationTime: Duration?
    private var ownRetryTime: Duration?

    var dataInvalidations = 0
    var failureInvalidations = 0
    /// Whether the data was set by the app. In this case, no validator is sent for it.
    var isOverridden = false
    /// The number of changes to the data.
    var revision = 0
    var failureTimestamp: Date?
    /// Whether a load has completed since the last wipe.
    var hasLoaded = false
    var observers = ObserverList<Content>()
    /// The calls to make, in order, after the current call has returned.
    var callouts: [Callout] = []
    var isCallingOut = false
    var eventCount = 0

    /// The store's entry for the resource.
    weak var entry: ResourceStore.Entry?
    weak var store: ResourceStore?
    /// Creates the future that a load starts.
    let future: @MainActor () -> ServiceFuture<Content>
    var address: String?

    /// A call to an observer or a handler. Calls never overlap.
    enum Callout {
        case event(ResourceEvent, number: Int)
        case closure(@MainActor () -> Void)
    }

    /// Creates a resource without a store from a future, for example from a repository or `service.future(as:)`.
    ///
    /// If the future has several steps, from ``ServiceFuture/andThen(_:)`` or ``ServiceFuture/init(operation:)``, the
    /// resource has no URL, doesn't read caches, and can't be confirmed by a 304. Nothing is sent before the first
    /// load.
    public init(_ future: ServiceFuture<Content>) {
        self.future = { future }
    }

    init(
        address: String?, store: ResourceStore?, _ future: @escaping @MainActor () -> ServiceFuture<Content>
    ) {
        self.address = address
        self.store = store
        self.future = future
    }
}

// MARK: - State

extension Resource {
    /// The content of the latest data. If the server confirms it with a 304, Observation reports no change.
    public var latestContent: Content? { signals.reading(\.content, data?.content) }

    /// Whether there is content, regardless of its age.
    public var hasContent: Bool { signals.reading(\.content, data != nil) }

    /// Replaces the latest data with the data that the server has confirmed. The content is the same.
    func confirm(_ confirmed: Entity<Content>) {
        signals.changing(\.data) { data = confirmed }
    }

    /// Returns the content if it has a type. Use it for resources with a general type, such as `any Sendable`.
    public func typedContent<Model>(as type: Model.Type = Model.self) -> Model? {
        latestContent as? Model
    }

    /// Returns the content if it has a type, otherwise a default value.
    public func typedContent<Model>(ifNone value: @autoclosure () -> Model) -> Model {
        typedContent() ?? value()
    }

    /// The data, error and load in one value, for a screen to switch over.
    public var state: ResourceState<Content> {
        if isLoading { return .loading(latestContent) }
        if let latestError { return .failed(latestError, latestContent) }
        return latestContent.map { .loaded($0) } ?? .empty
    }

    /// Whether a load is running.
    public var isLoading: Bool { loading != nil }

    /// Whether a load or a request made by ``request(_:parameters:options:)`` is running.
    public var isRequesting: Bool {
        // Both are read, so that Observation tracks both.
        let isSending = requests.contains { $0.task?.state == .running }
        return isLoading || isSending
    }

    /// The progress of the latest load from 0 to 1. While the load is running, it is the share of the bodies' bytes
    /// transferred, or 0 if their number isn't known. After the load completes, with any outcome, it is 1. Before the
    /// first load, it is 0.
    ///
    /// Observation reports the beginning and the completion of a load, but not the bytes. Poll the property to show
    /// them.
    public var progress: Double {
        if let loading { return loading.progress }
        return hasLoaded || latestData != nil || latestError != nil ? 1 : 0
    }

    /// The time when the latest data arrived or was confirmed, or when the latest load failed. `nil` before the first
    /// load completes.
    public var timestamp: Date? {
        latestError == nil ? latestData?.timestamp : failureTimestamp
    }

    /// Whether the latest data is younger than ``expirationTime``, or the latest failure is younger than ``retryTime``,
    /// and nothing has invalidated it.
    ///
    /// Observers aren't notified when the value changes because time passes.
    public var isUpToDate: Bool {
        let hasFailed = latestError != nil
        guard let timestamp, invalidations == (hasFailed ? failureInvalidations : dataInvalidations)
        else { return false }
        let limit =
            hasFailed
            ? retryTime ?? configuration.retryTime : expirationTime ?? configuration.expirationTime
        // A time in the future means that the clock was set back. Then nothing is up to date.
        return (0...max(0, limit / .seconds(1))).contains(clock.now.timeIntervalSince(timestamp))
    }

    /// Returns whether data with this timestamp is within the expiration time.
    func isInTime(_ timestamp: Date) -> Bool {
        let limit = expirationTime ?? configuration.expirationTime
        return (0...max(0, limit / .seconds(1))).contains(clock.now.timeIntervalSince(timestamp))
    }

    var clock: any ServiceClock { service?.clock ?? .system }

    private var configuration: WebService.Configuration {
        let service = url == nil ? nil : service
        return (service ?? WebService(baseURLString: "")).configuration(
            of: .GET, url.map { Request.Path($0) } ?? "")
    }
}

/// A weak reference to a task.
struct WeakTask {
    weak var task: ServiceTask?
}

/// Reports to Observation which properties of a resource are read and changed.
///
/// The class isn't generic although the resource is, because a key path of a generic type is created again at each use,
/// which takes 4 µs.
@MainActor
private final class ResourceSignals: Observable {
    nonisolated var data: Void {}
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
