import Foundation
import Swallow

/// The part of a ``Resource`` that doesn't depend on its content's type.
@MainActor
public protocol AnyResource: AnyObject {
    /// The URL of a load, before `adaptRequest` changes it. `nil` if the future isn't one request, or has no valid URL.
    var url: URL? { get }
    /// Whether there is content, regardless of its age.
    var hasContent: Bool { get }
    /// The time of ``latestError``. Without an error, the time when the data arrived or was confirmed, or `nil`.
    var timestamp: Date? { get }
    /// Whether the latest data or failure is new enough, and hasn't been invalidated. See ``Resource/isUpToDate``.
    var isUpToDate: Bool { get }
    /// Whether a load is running.
    var isLoading: Bool { get }
    /// Whether a load is running, or a request that was made with ``Resource/request(_:parameters:options:)``.
    var isRequesting: Bool { get }
    /// The error of the latest load, if it failed. See ``Resource/latestError``.
    var latestError: ServiceError? { get }
    /// The progress of the latest load, from 0 to 1, by the number of bytes.
    var progress: Double { get }
    /// Makes the resource out of date, whatever the age of its data. Raises no event.
    func invalidate()
    /// Removes the data and the error, and cancels the current load. See ``Resource/wipe()``.
    func wipe()
    /// Cancels the current load after a delay, unless the resource is observed or the load is awaited at that time.
    func cancelLoadIfUnobserved(after delay: Duration)
}

extension AnyResource {
    /// Calls ``Resource/loadIfNeeded()``. Does nothing for your own types that conform to this protocol.
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
        /// The server, or your own code in a ``ServiceFuture``.
        case network
        /// An `EntityCache`.
        case cache
        /// The app, through ``Resource/override(_:)`` or ``Resource/change(_:tracking:request:)``.
        case localOverride
        /// A wipe, which removed the data.
        case wipe
    }

    /// The observer was added. It should show the current state. Other observers don't receive this event.
    case observerAdded
    /// A load has started.
    case requested
    /// A load was cancelled. Not raised if another load, new data or a wipe replaces the load.
    case requestCancelled
    /// There is new data, or no data after a wipe.
    case newData(Source)
    /// The server has confirmed that the data is unchanged.
    case notModified
    /// A load has failed.
    case error
}

/// An object that is notified of the events of resources.
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
    /// There is no content and no error, and no load is running.
    case empty
    /// A load is running. The associated value is the latest content.
    case loading(Content?)
    /// There is content and no error, and no load is running.
    case loaded(Content)
    /// There is an error, and no load is running. The associated values are the error and the latest content.
    case failed(ServiceError, Content?)
}

extension ResourceState: Equatable where Content: Equatable {
    /// Returns whether the values are the same case with equal content. Errors are equal if their reasons are.
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
