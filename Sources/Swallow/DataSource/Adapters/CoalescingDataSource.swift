import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends identical GET requests that are in flight at the same time once, and gives each task the answer.
///
/// Views that load the same resource as they appear cost one request:
///
/// ```swift
/// enum API {
///     static let dataSource = WebService.standardDataSource.coalescing()
///     static var service: WebService {
///         WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
///     }
/// }
/// ```
///
/// Keep one and share it, as above: copies of it share the requests in flight, a second one made by
/// ``SessionDataTaskDataSource/coalescing()`` doesn't.
///
/// - Requests are identical when they are GETs without a body and have the same URL, header fields (names
///   compared without case, RFC 9110 §5.1), cache policy, timeout, cookie handling and further `URLRequest`
///   properties. So two users' requests, told apart by `Authorization`, are never joined. All other requests
///   pass through.
/// - A task joins when it is first resumed. Nothing is kept after the answer: this is no cache.
/// - Each task is suspended and cancelled by itself: a cancelled one ends at once with
///   `URLError(.cancelled)`, a suspended one gets its answer at `resume()`. The request is suspended while
///   all its tasks are, and cancelled with the last of them; a task that is resumed after that starts it
///   anew.
/// - An error is an answer, too: every joined task gets it.
///
/// Completions come where the base data source calls its own, in the order of joining, and are expected to
/// return at once. Where each request gets a header field of its own, such as a request ID, coalesce before
/// that is added: `dataSource.adaptingRequests { … }.coalescing()`. Joined tasks then share
/// what is added for the first of them; where users may change in between, add their credentials first:
/// `dataSource.coalescing().adaptingRequests { … }`.
public struct CoalescingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    private let base: Base
    let exchanges = CoalescedExchanges()

    /// Makes a data source that coalesces the requests to another one; the same as `base.coalescing()`.
    public init(_ base: Base) {
        self.base = base
    }

    /// Returns a task that has not started, and joins an identical request when it is resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        guard let key = CoalescingKey(request) else {
            return base.dataTask(with: request, completion: completion)
        }
        return JoiningDataTask(completion: completion) { [exchanges] answer in
            exchanges.join(key, answer)
        } start: { [base] exchange in
            exchange.send(key.request, to: base)
        }
    }
}

extension SessionDataTaskDataSource {
    /// Sends identical GET requests that are in flight at the same time once: a ``CoalescingDataSource``.
    ///
    /// Keep the result and share it: only requests through the same one are joined.
    public func coalescing() -> some SessionDataTaskDataSource {
        CoalescingDataSource(self)
    }
}

/// The exchanges that may still be joined.
final class CoalescedExchanges: Sendable {
    private let table = Lock<[CoalescingKey: JointExchange]>([:])

    var isEmpty: Bool { table.withLock { $0.isEmpty } }

    /// Joins the exchange of a request in flight, or opens one.
    func join(_ key: CoalescingKey, _ answer: Answer) -> JointExchange.Place {
        let (place, _) = table.withLock { table -> (JointExchange.Place, JointExchange?) in
            let ended = table[key]
            if let place = ended?.join(answer) { return (place, nil) }
            let place = JointExchange.opened(by: answer) { [self] in remove($0, key) }
            table[key] = place.exchange
            // Returned, so that an exchange that was about to be removed ends outside the lock.
            return (place, ended)
        }
        return place
    }

    private func remove(_ exchange: JointExchange, _ key: CoalescingKey) {
        table.withLock { table in
            if table[key] === exchange { table[key] = nil }
        }
    }
}
