import Foundation

/// An occasion on which a ``ResourceStore`` refreshes its observed resources.
///
/// ```swift
/// resources.refreshTriggers = [.every(.seconds(30)), .foreground, .reconnect]
/// ```
///
/// Swift's Observation doesn't count as an observer (see ``Resource/events``).
public struct RefreshTrigger: Sendable, Hashable {
    enum Kind: Hashable {
        case interval(Duration, jitter: Double)
        case foreground, reconnect
    }

    let kind: Kind

    /// Loads a resource when an interval has passed since its latest load completed.
    ///
    /// One timer serves all resources of a store, so a load may start late by 2 % of the shortest interval. If a set
    /// has several intervals, the shortest one applies.
    ///
    /// - Parameters:
    ///   - interval: The time between loads by the service's clock. Nothing is loaded if it is zero or less.
    ///   - jitter: The share of the interval by which each wait is lengthened or shortened at random, so that apps don't
    ///     send their requests at the same time. It is limited to 0...1. The default is 0.1.
    public static func every(_ interval: Duration, jitter: Double = 0.1) -> RefreshTrigger {
        RefreshTrigger(kind: .interval(interval, jitter: min(1, max(0, jitter))))
    }

    /// Loads a resource that isn't up to date when the app returns to the foreground.
    ///
    /// The store learns of it from UIKit's `willEnterForegroundNotification` and AppKit's `didBecomeActiveNotification`.
    /// On other platforms, call ``ResourceStore/appDidReturnToForeground()``.
    public static let foreground = RefreshTrigger(kind: .foreground)

    /// Loads a resource that isn't up to date, or whose latest load failed, when the network returns.
    ///
    /// The store learns of it from `NWPathMonitor` on Apple platforms. On all platforms, the network has returned if a
    /// resource's load receives a response after another load couldn't reach the server. Your own code can call
    /// ``ResourceStore/networkDidReturn()``.
    public static let reconnect = RefreshTrigger(kind: .reconnect)
}

/// The wait of an observed resource until its interval has passed.
struct RefreshWait {
    let interval: Double
    /// The interval, lengthened or shortened by the jitter.
    let duration: Double
    var end: Date

    /// Returns `nil` if no trigger is an interval.
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

    /// Returns whether the wait has ended. If more than its duration remains, the clock was set back, and it ends too.
    func hasEnded(at time: Date) -> Bool {
        let rest = end.timeIntervalSince(time)
        return rest <= 0 || rest > duration + 1
    }

    /// Continues the wait if a load completed during it. Returns whether it continues.
    mutating func continues(from load: Date?, at time: Date) -> Bool {
        guard let load else { return false }
        let later = load.addingTimeInterval(duration)
        guard later > time, later <= time.addingTimeInterval(duration + 1) else { return false }
        end = later
        return true
    }
}
