import Foundation
import Observation

/// The latest state of something on the server, shared by all who show it.
///
/// ```swift
/// let stores = resources.resource("/stores", as: [Store].self)
/// stores.addObserver(owner: self) { screen, stores, _ in screen.show(stores.latestContent ?? []) }
/// stores.loadIfNeeded()
/// ```
///
/// - **Kept.** ``latestData`` survives a failed load; ``latestError`` is of the latest load only.
/// - **One writer.** Only the latest load writes: ``load()`` cancels the one that it replaces, whose handle ends with
///   `.cancelled` and without an event.
/// - **Fresh.** ``loadIfNeeded()`` sends nothing while a load is under way or the data is up to date.
/// - **Cached now, fresh after.** The first load shows what the pipeline's caches have, then what the server says; a server
///   that is faster comes alone. Later ones ask whether the data is still right (RFC 9110 §13.1); a 304 is
///   ``ResourceEvent/notModified``.
/// - **Observed.** By closures with an owner, by a ``ResourceObserver``, by ``events``, or by Observation, as SwiftUI does.
///
/// All of it is on the main actor.
@MainActor
public final class Resource<Content: Sendable>: AnyResource, Observable {
    /// What came last, with what the server said about it; a failed load doesn't change it.
    public internal(set) var latestData: Entity<Content>? {
        get { signals.reading(\.data, data) }
        set { signals.changing(\.data) { signals.changing(\.content) { data = newValue } } }
    }

    /// Why the latest load failed; nil while another is under way, and after a success. A cancelled load leaves the one
    /// before it.
    public internal(set) var latestError: ServiceError? {
        get { signals.reading(\.error, error) }
        set { signals.changing(\.error) { error = newValue } }
    }

    /// For how long the data is up to date; nil, the default, stands for ``Configuration/expirationTime``.
    public var expirationTime: Duration? {
        get { signals.reading(\.expiry, ownExpirationTime) }
        set { signals.changing(\.expiry) { ownExpirationTime = newValue } }
    }

    /// For how long after a failure ``loadIfNeeded()`` doesn't try again; nil, the default, stands for
    /// ``Configuration/retryTime``.
    public var retryTime: Duration? {
        get { signals.reading(\.expiry, ownRetryTime) }
        set { signals.changing(\.expiry) { ownRetryTime = newValue } }
    }

    /// The load under way.
    var loading: Loading<Content>? {
        get { signals.reading(\.loading, latestLoading) }
        set { signals.changing(\.loading) { latestLoading = newValue } }
    }

    /// How often the resource was invalidated. Data, or a failure, is out of date if this was less when its load began.
    var invalidations: Int {
        get { signals.reading(\.invalidations, invalidationCount) }
        set { signals.changing(\.invalidations) { invalidationCount = newValue } }
    }

    /// The requests made through the resource that may be under way.
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
    /// Whether the data is the app's own, which no validator is for.
    var isOverridden = false
    /// Counts changes of the data.
    var revision = 0
    var failureTimestamp: Date?
    /// Whether a load has ended since the last wipe.
    var hasLoaded = false
    var observers = ObserverList<Content>()
    /// Calls to make, in order, once the current one has returned.
    var callouts: [Callout] = []
    var isCallingOut = false
    var eventCount = 0

    /// The store's entry for the resource.
    weak var entry: ResourceStore.Entry?
    weak var store: ResourceStore?
    /// Makes the future that a load starts.
    let future: @MainActor () -> ServiceFuture<Content>
    var address: String?

    /// A call to an observer or a handler; such calls never overlap.
    enum Callout {
        case event(ResourceEvent, number: Int)
        case closure(@MainActor () -> Void)
    }

    /// Makes a resource without a store from a future: a repository's, that of `service.future(as:)`, or any other.
    ///
    /// With a future of several steps, by ``ServiceFuture/andThen(_:)`` or ``ServiceFuture/init(operation:)``, the
    /// resource has no URL, doesn't look into caches, and can't be confirmed by a 304. Nothing is sent before the
    /// first load.
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
    /// The content of the latest data. Where the server confirms it by a 304, Observation isn't told that it changed.
    public var latestContent: Content? { signals.reading(\.content, data?.content) }

    /// Whether there is content, however old.
    public var hasContent: Bool { signals.reading(\.content, data != nil) }

    /// Puts the data that the server has confirmed in the place of the latest, whose content it has.
    func confirm(_ confirmed: Entity<Content>) {
        signals.changing(\.data) { data = confirmed }
    }

    /// The content, if it is of a type: for resources whose own type says little, such as `any Sendable`.
    public func typedContent<Model>(as type: Model.Type = Model.self) -> Model? {
        latestContent as? Model
    }

    /// The content, if it is of a type, or else a value in its place.
    public func typedContent<Model>(ifNone value: @autoclosure () -> Model) -> Model {
        typedContent() ?? value()
    }

    /// Data, error and load in one value, for a screen to switch over.
    public var state: ResourceState<Content> {
        if isLoading { return .loading(latestContent) }
        if let latestError { return .failed(latestError, latestContent) }
        return latestContent.map { .loaded($0) } ?? .empty
    }

    /// Whether the latest load is under way.
    public var isLoading: Bool { loading != nil }

    /// Whether a load or a request made by ``request(_:parameters:options:)`` is under way.
    public var isRequesting: Bool {
        // Both are asked, so that Observation knows of both.
        let isSending = requests.contains { $0.task?.state == .running }
        return isLoading || isSending
    }

    /// How far the latest load is, from 0 to 1: by the bytes of its request's bodies while it is under way, 0 where their
    /// number isn't known; 1 once it has ended, however it did; 0 before the first.
    ///
    /// Observation hears of a load's beginning and end, not of the bytes: look from time to time.
    public var progress: Double {
        if let loading { return loading.progress }
        return hasLoaded || latestData != nil || latestError != nil ? 1 : 0
    }

    /// When the latest data came or was confirmed, or the latest load failed; nil before.
    public var timestamp: Date? {
        latestError == nil ? latestData?.timestamp : failureTimestamp
    }

    /// Whether the latest data is younger than ``expirationTime``, or the latest failure than ``retryTime``, and nothing
    /// has invalidated it.
    ///
    /// Observers aren't notified when time alone changes it.
    public var isUpToDate: Bool {
        let hasFailed = latestError != nil
        guard let timestamp, invalidations == (hasFailed ? failureInvalidations : dataInvalidations)
        else { return false }
        let limit =
            hasFailed
            ? retryTime ?? configuration.retryTime : expirationTime ?? configuration.expirationTime
        // Never if the clock was set back.
        return (0...max(0, limit.seconds)).contains(clock.now.timeIntervalSince(timestamp))
    }

    /// Whether data of that time is young enough.
    func isInTime(_ timestamp: Date) -> Bool {
        let limit = expirationTime ?? configuration.expirationTime
        return (0...max(0, limit.seconds)).contains(clock.now.timeIntervalSince(timestamp))
    }

    var clock: any ServiceClock { service?.clock ?? .system }

    private var configuration: Configuration {
        guard let service, let url else { return Configuration() }
        return service.configuration(of: .GET, Request.Path(url))
    }
}

/// A weak reference to a task.
struct WeakTask {
    weak var task: ServiceTask?
}

/// Tells Observation of what is read and changed of a resource.
///
/// Not generic, as the resource is: a key path of a generic type is made anew at each use, which takes 4 µs.
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
