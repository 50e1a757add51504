import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends identical GET requests that are in flight at the same time once, and gives each task the response.
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
/// - A task joins when it is first resumed. Nothing is kept after the response: this is no cache.
/// - Each task is suspended and cancelled by itself: a cancelled one ends at once with
///   `URLError(.cancelled)`, a suspended one ends at `resume()`. The request is suspended while
///   all its tasks are, and cancelled with the last of them; a task that is resumed after that starts it
///   anew.
/// - An error ends every joined task.
/// - A task whose body is streamed shares it with nobody: it sends its request alone, and where it had joined others
///   already, anew.
///
/// Completions come where the base data source calls its own, in the order of joining, and are expected to
/// return at once. What differs from request to request, such as a request ID, is added below:
/// `dataSource.intercepting { … }.coalescing()`. Joined tasks then share what is added for the first of them.
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
        return JoiningDataTask(key, base, exchanges, completion)
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
    func join(_ key: CoalescingKey, _ delivery: Lock<Delivery>) -> JointExchange.Place {
        let (place, _) = table.withLock { table -> (JointExchange.Place, JointExchange?) in
            let ended = table[key]
            if let place = ended?.join(delivery) { return (place, nil) }
            let place = JointExchange.opened(by: delivery) { [self] in remove($0, key) }
            table[key] = place.exchange
            // Returned, so that an exchange that was about to be removed ends outside the lock.
            return (place, ended)
        }
        return place
    }

    /// Has nobody else join an exchange in which one is alone; says whether it is.
    func close(_ key: CoalescingKey, _ place: JointExchange.Place) -> Bool {
        let (isAlone, _) = table.withLock { table -> (Bool, JointExchange?) in
            guard place.isAlone else { return (false, nil) }
            guard table[key] === place.exchange else { return (true, nil) }
            return (true, table.removeValue(forKey: key))
        }
        return isAlone
    }

    private func remove(_ exchange: JointExchange, _ key: CoalescingKey) {
        table.withLock { table in
            if table[key] === exchange { table[key] = nil }
        }
    }
}

/// What must be the same in two requests for one response to serve both.
///
/// Header fields, the timeout and some other properties are no part of `URLRequest`'s own `==`, and which
/// ones are depends on the platform.
struct CoalescingKey: Hashable, Sendable {
    let request: URLRequest
    private let url: String
    private let headers: [String: String]

    /// The key of a GET request without a body; nil for any other.
    init?(_ request: URLRequest) {
        guard request.httpMethod ?? "GET" == "GET", request.httpBody == nil, request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        self.request = request
        self.url = url
        let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        headers = Dictionary(fields) { "\($0), \($1)" }
    }

    static func == (left: CoalescingKey, right: CoalescingKey) -> Bool {
        left.url == right.url && left.headers == right.headers && left.request.travels(like: right.request)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
    }
}

extension URLRequest {
    /// Whether everything but URL, header fields and body is the same.
    fileprivate func travels(like other: URLRequest) -> Bool {
        guard cachePolicy == other.cachePolicy, timeoutInterval == other.timeoutInterval,
            httpShouldHandleCookies == other.httpShouldHandleCookies,
            mainDocumentURL == other.mainDocumentURL, networkServiceType == other.networkServiceType,
            allowsCellularAccess == other.allowsCellularAccess
        else { return false }
        #if canImport(FoundationNetworking)
            return true
        #else
            return allowsExpensiveNetworkAccess == other.allowsExpensiveNetworkAccess
                && allowsConstrainedNetworkAccess == other.allowsConstrainedNetworkAccess
                && assumesHTTP3Capable == other.assumesHTTP3Capable && attribution == other.attribution
                && self == other
        #endif
    }
}
