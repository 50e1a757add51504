import Foundation
import Swallow

/// The part of a ``Resource`` that doesn't depend on its content's type.
@MainActor
public protocol AnyResource: AnyObject {
    /// The URL that the resource is loaded from, as encoded before `WebService.Configuration.adaptRequest` runs. `nil`
    /// for a future of several steps, and for a path that isn't a valid URL.
    var url: URL? { get }
    /// Whether there is content, regardless of its age.
    var hasContent: Bool { get }
    /// The time when the latest data arrived or was confirmed, or when the latest load failed. `nil` before the first
    /// load completes.
    var timestamp: Date? { get }
    /// Whether the latest data is younger than `WebService.Configuration.expirationTime`, or the latest failure is younger than
    /// `WebService.Configuration.retryTime`, and nothing has invalidated it.
    var isUpToDate: Bool { get }
    /// Whether a load is running.
    var isLoading: Bool { get }
    /// Whether a load or a request made through the resource is running.
    var isRequesting: Bool { get }
    /// The error of the latest load, if it failed.
    var latestError: ServiceError? { get }
    /// The progress of the latest load from 0 to 1, measured by the bytes transferred. It is 1 after the load
    /// completes.
    var progress: Double { get }
    /// Makes the next ``Resource/loadIfNeeded()`` load, regardless of the age of the data. No observer is notified.
    func invalidate()
    /// Removes data and error, and cancels the current load.
    func wipe()
    /// Cancels the current load after a delay, unless the resource has an observer or the load is awaited at that time.
    func cancelLoadIfUnobserved(after delay: Duration)
}

extension AnyResource {
    /// Loads unless a load is running or the resource is up to date, as ``Resource/loadIfNeeded()`` does. Does nothing
    /// for the app's own types that conform to this protocol.
    @_disfavoredOverload
    public func loadIfNeeded() {
        (self as? any StoredResource)?.loadAsNeeded()
    }

    /// Cancels the current load unless the resource is observed or the load is awaited.
    public func cancelLoadIfUnobserved() {
        cancelLoadIfUnobserved(after: .zero)
    }
}

/// An event of a ``Resource``. Read the resource's properties for details.
public enum ResourceEvent: Sendable, Hashable {
    /// The source of new data.
    public enum Source: Sendable, Hashable {
        /// The server.
        case network
        /// An `EntityCache`.
        case cache
        /// The app, through ``Resource/override(_:)``, which replaces the running load.
        case localOverride
        /// A wipe, which removed the data. No load is running.
        case wipe
    }

    /// The observer was added and should show the current state. Only this observer receives the event.
    case observerAdded
    /// A load has started.
    case requested
    /// The load was cancelled.
    case requestCancelled
    /// There is new data, or there is none after a wipe.
    case newData(Source)
    /// The server has confirmed that the data is unchanged.
    case notModified
    /// The load has failed.
    case error
}

/// An object that observes resources.
@MainActor
public protocol ResourceObserver: AnyObject {
    /// Called after an event of a resource.
    func resourceChanged(_ resource: any AnyResource, event: ResourceEvent)
    /// Called after the observer was removed from a resource. The default does nothing.
    func stoppedObserving(_ resource: any AnyResource)
}

extension ResourceObserver {
    /// Does nothing.
    public func stoppedObserving(_ resource: any AnyResource) {}
}

/// The state of a ``Resource`` in one value, for a screen to show.
public enum ResourceState<Content: Sendable>: Sendable {
    /// There is no content, and no load is running.
    case empty
    /// A load is running. The associated value is the earlier content.
    case loading(Content?)
    /// There is content.
    case loaded(Content)
    /// The latest load has failed. The associated values are the error and the earlier content.
    case failed(ServiceError, Content?)
}

extension ResourceState: Equatable where Content: Equatable {
    /// Returns whether both are the same case with equal content. Errors are equal if their reasons are equal.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.empty, .empty): true
        case (.loading(let one), .loading(let other)): one == other
        case (.loaded(let one), .loaded(let other)): one == other
        case (.failed(let error, let one), .failed(let otherError, let other)):
            error.reason == otherError.reason && one == other
        default: false
        }
    }
}
