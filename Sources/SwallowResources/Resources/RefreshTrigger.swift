import Foundation

/// An occasion on which a ``ResourceStore`` refreshes its observed resources.
///
/// ```swift
/// resources.refreshTriggers = [.every(.seconds(30)), .foreground, .reconnect]
/// ```
///
/// A view that only reads a resource's properties doesn't count as an observer (see ``Resource/events``).
public struct RefreshTrigger: Sendable, Hashable {
    enum Kind: Hashable {
        case interval(Duration, jitter: Double)
        case foreground, reconnect
    }

    let kind: Kind

    /// Loads a resource at an interval while it is observed. Other loads can postpone the next one.
    ///
    /// A load may start late by up to 2 % of the interval. Of several intervals, the shortest applies.
    ///
    /// - Parameters:
    ///   - interval: The time between loads, by the service's clock. Zero or less disables the trigger.
    ///   - jitter: The largest random change of each wait, as a share of the interval from 0 to 1. Jitter spreads the
    ///     requests of many apps over time. The default is 0.1.
    public static func every(_ interval: Duration, jitter: Double = 0.1) -> RefreshTrigger {
        RefreshTrigger(kind: .interval(interval, jitter: min(1, max(0, jitter))))
    }

    /// Loads a resource that isn't up to date when the app returns to the foreground.
    ///
    /// The notifications of UIKit, AppKit and WatchKit cause the load. On other platforms, call
    /// ``ResourceStore/appDidReturnToForeground()``.
    public static let foreground = RefreshTrigger(kind: .foreground)

    /// Loads a resource that isn't up to date, or has a ``Resource/latestError``, when the network returns.
    ///
    /// On Apple platforms, `NWPathMonitor` reports the network's return. On all platforms, the store can also notice it
    /// when a load reaches the server after another load couldn't. The store then loads only other resources. Your own
    /// code can call ``ResourceStore/networkDidReturn()``.
    public static let reconnect = RefreshTrigger(kind: .reconnect)
}

/// The time until the next load of an observed resource by ``RefreshTrigger/every(_:jitter:)``.
struct RefreshWait {
    let interval: Double
    let duration: Double
    var end: Date

    init?(_ triggers: Set<RefreshTrigger>, from start: Date) {
        let intervals = triggers.compactMap { trigger -> (seconds: Double, jitter: Double)? in
            guard case .interval(let interval, let jitter) = trigger.kind, interval > .zero else {
                return nil
            }
            return (interval / .seconds(1), jitter)
        }
        guard let shortest = intervals.min(by: { $0.seconds < $1.seconds }) else { return nil }
        interval = shortest.seconds
        duration = interval * (1 + shortest.jitter * .random(in: -1...1))
        end = start.addingTimeInterval(duration)
    }

    /// Returns whether the wait has ended. Setting the clock back may also end it.
    func hasEnded(at time: Date) -> Bool {
        let rest = end.timeIntervalSince(time)
        return rest <= 0 || rest > duration + 1
    }

    /// Postpones the end to one complete wait after `load`. Returns `false` if that time has passed, or if it is too far
    /// in the future because the clock was set back.
    mutating func continues(from load: Date?, at time: Date) -> Bool {
        guard let load else { return false }
        let later = load.addingTimeInterval(duration)
        guard later > time, later <= time.addingTimeInterval(duration + 1) else { return false }
        end = later
        return true
    }
}
