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

    /// Loads a resource when an interval has passed since the start of its observation and since the end of its latest
    /// load.
    ///
    /// A load may start late by 2 % of the store's shortest interval. Of several intervals, the shortest applies.
    ///
    /// - Parameters:
    ///   - interval: The time between loads, by the service's clock. Zero or less disables the trigger.
    ///   - jitter: The share of the interval, from 0 to 1, by which each wait is at random longer or shorter, so that
    ///     apps don't send their requests at the same time. The default is 0.1.
    public static func every(_ interval: Duration, jitter: Double = 0.1) -> RefreshTrigger {
        RefreshTrigger(kind: .interval(interval, jitter: min(1, max(0, jitter))))
    }

    /// Loads a resource that isn't up to date when the app returns to the foreground.
    ///
    /// The notifications of UIKit, AppKit and WatchKit cause the load. On other platforms, call
    /// ``ResourceStore/appDidReturnToForeground()``.
    public static let foreground = RefreshTrigger(kind: .foreground)

    /// Loads a resource that isn't up to date, or whose latest load failed, when the network returns.
    ///
    /// On Apple platforms, `NWPathMonitor` reports the network's return. On all platforms, the store also notices it
    /// when a load receives a response after another load couldn't reach the server. Your own code can call
    /// ``ResourceStore/networkDidReturn()``.
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

    /// Returns whether the wait has ended. It also ends if more than its duration remains after the clock was set back.
    func hasEnded(at time: Date) -> Bool {
        let rest = end.timeIntervalSince(time)
        return rest <= 0 || rest > duration + 1
    }

    /// Moves the end to one interval after the latest load. Returns `false` if no load completed during the wait.
    mutating func continues(from load: Date?, at time: Date) -> Bool {
        guard let load else { return false }
        let later = load.addingTimeInterval(duration)
        guard later > time, later <= time.addingTimeInterval(duration + 1) else { return false }
        end = later
        return true
    }
}
