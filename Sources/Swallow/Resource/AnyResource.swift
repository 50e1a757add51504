import Foundation

/// The part of a ``Resource`` that doesn't depend on its content's type.
@MainActor
public protocol AnyResource: AnyObject {
    /// The URL that it is loaded from, as encoded before `Configuration.adaptRequest`; nil where that isn't known:
    /// for a future of several steps, and for a path that makes no URL.
    var url: URL? { get }
    /// Whether there is content, however old.
    var hasContent: Bool { get }
    /// When the latest data came or was confirmed, or the latest load failed; nil before.
    var timestamp: Date? { get }
    /// Whether the latest data is younger than ``Configuration/expirationTime``, or the latest failure than
    /// ``Configuration/retryTime``, and nothing has invalidated it.
    var isUpToDate: Bool { get }
    /// Whether the latest load is under way.
    var isLoading: Bool { get }
    /// Whether a load or a request made through the resource is under way.
    var isRequesting: Bool { get }
    /// Why the latest load failed.
    var latestError: ServiceError? { get }
    /// How far the latest load is, from 0 to 1, by the bytes that are here; 1 from its end on.
    var progress: Double { get }
    /// Makes the next ``Resource/loadIfNeeded()`` load, whatever the age of the data; notifies no observer.
    func invalidate()
    /// Forgets data and error, and cancels a load.
    func wipe()
    /// Cancels a load after a delay, unless the resource has an observer or the load is awaited by then.
    func cancelLoadIfUnobserved(after delay: Duration)
}

extension AnyResource {
    /// Loads unless a load is under way or the resource is up to date, as ``Resource/loadIfNeeded()`` does. An object of an
    /// app's own that conforms has nothing to load.
    @_disfavoredOverload
    public func loadIfNeeded() {
        (self as? any StoredResource)?.loadAsNeeded()
    }

    /// Cancels a load unless the resource is observed, or the load is awaited.
    public func cancelLoadIfUnobserved() {
        cancelLoadIfUnobserved(after: .zero)
    }
}

/// What has happened to a ``Resource``; its properties tell the rest.
public enum ResourceEvent: Sendable, Hashable {
    /// Where new data comes from.
    public enum Source: Sendable, Hashable {
        /// The server.
        case network
        /// An ``EntityCache``.
        case cache
        /// The app, by ``Resource/override(_:)``, which ends a load under way.
        case localOverride
        /// Nowhere: there is none any more, and no load under way.
        case wipe
    }

    /// The observer was added, and should show what there is; only this observer gets it.
    case observerAdded
    /// A load has begun.
    case requested
    /// The load was cancelled.
    case requestCancelled
    /// There is new data, or after a wipe none.
    case newData(Source)
    /// The server has confirmed the data.
    case notModified
    /// The load has failed.
    case error
}

/// An object that observes resources.
@MainActor
public protocol ResourceObserver: AnyObject {
    /// Something has happened to a resource.
    func resourceChanged(_ resource: any AnyResource, event: ResourceEvent)
    /// The observer was removed from a resource. By default nothing happens.
    func stoppedObserving(_ resource: any AnyResource)
}

extension ResourceObserver {
    /// Does nothing.
    public func stoppedObserving(_ resource: any AnyResource) {}
}

/// What a screen shows of a ``Resource``, in one value.
public enum ResourceState<Content: Sendable>: Sendable {
    /// There is nothing, and nothing is under way.
    case empty
    /// A load is under way; what there was before.
    case loading(Content?)
    /// There is content.
    case loaded(Content)
    /// The latest load has failed; what there was before.
    case failed(ServiceError, Content?)
}

extension ResourceState: Equatable where Content: Equatable {
    /// Whether both are the same case with equal content; errors are equal if their reasons are.
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
