import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct CoalescingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    private let base: Base
    let exchanges = CoalescedExchanges()

    init(_ base: Base) {
        self.base = base
    }

    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        // A request with its own redirect policy may receive another response than an identical request.
        guard TransferContext.current.redirects == nil, let key = CoalescingKey(request) else {
            return other(request, completion)
        }
        return ManagedDataTask(completion) { JoinOperation(key, base, exchanges, $0) }
    }

    /// A method that isn't safe (RFC 9110 §9.2.1) may outdate responses in flight, so later tasks don't join them.
    private func other(_ request: URLRequest, _ completion: @escaping PartQueue.Completion) -> any DataTask {
        guard let url = request.url, !HTTPSyntax.isSafe(request.httpMethod ?? "GET") else {
            return base.dataTask(with: request, completion: completion)
        }
        let location = url.absoluteString.withoutUserinfo.locationAndQuery.location
        let task = base.dataTask(with: request) { [exchanges] data, response, error in
            exchanges.close(location)
            completion(data, response, error)
        }
        return ForwardingDataTask(base: task) { [exchanges] in exchanges.close(location) }
    }
}

extension CoalescingDataSource: SizedDataSource {
    package var maximumBodySize: Int { base.maximumBodySize }
}

extension SessionDataTaskDataSource {
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
    /// Store the result and share it, as in the example. Another call shares no requests with this one.
    ///
    /// - Requests are identical if they are GETs without a body and have the same URL, header fields (names are
    ///   compared without case, RFC 9110 §5.1), cache policy, timeout, cookie handling and other `URLRequest`
    ///   properties. Requests that differ in `Authorization` are never joined. All other requests pass through.
    /// - A task joins when it is first resumed. Nothing is stored after the response, so this isn't a cache.
    /// - Each task is suspended and cancelled independently. A cancelled task completes immediately with
    ///   `URLError(.cancelled)`. The completion of a suspended task waits. The request is suspended while all its tasks
    ///   are suspended, and cancelled with the last of them. A task that is resumed after that sends it again.
    /// - If the request fails, every joined task fails with its error.
    /// - A request with the option `.redirects` isn't joined.
    /// - A request whose method isn't safe (RFC 9110 §9.2.1) closes the requests in flight for its path, whatever their
    ///   query, when it is resumed and when it completes. So a request that follows a write never receives a response
    ///   from before the write.
    /// - A task whose body is streamed leaves the other tasks, and sends its own request.
    ///
    /// Completions are called on the base data source's thread, in the order of joining, and must not block it. A field
    /// such as a request ID makes requests differ, so add it before coalescing, as in
    /// `dataSource.intercepting { … }.coalescing()`.
    public func coalescing() -> some SessionDataTaskDataSource {
        CoalescingDataSource(self)
    }
}

final class CoalescedExchanges: Sendable {
    private typealias Table = [Substring: [CoalescingKey: JointExchange]]

    private let table = Lock<Table>([:])

    var isEmpty: Bool { table.withLock { $0.isEmpty } }

    func join(_ key: CoalescingKey, _ member: DataTaskOutput) -> JointExchange.Place {
        let (place, _) = table.withLock { table -> (JointExchange.Place, JointExchange?) in
            let ended = table[key.location]?[key]
            if let place = ended?.join(member) { return (place, nil) }
            let place = JointExchange.opened(by: member) { [self] in remove($0, key) }
            table[key.location, default: [:]][key] = place.exchange
            // The ended exchange is returned, so that it is released outside the lock.
            return (place, ended)
        }
        return place
    }

    /// Closes an exchange to other tasks if the task with this place is its only one, and returns whether it is.
    func close(_ key: CoalescingKey, _ place: JointExchange.Place) -> Bool {
        let (isAlone, _) = table.withLock { table -> (Bool, JointExchange?) in
            guard place.isAlone else { return (false, nil) }
            return (true, Self.remove(place.exchange, key, from: &table))
        }
        return isAlone
    }

    func close(_ location: Substring) {
        // The exchanges are returned, so that they are released outside the lock.
        _ = table.withLock { $0.removeValue(forKey: location) }
    }

    private func remove(_ exchange: JointExchange, _ key: CoalescingKey) {
        _ = table.withLock { Self.remove(exchange, key, from: &$0) }
    }

    private static func remove(
        _ exchange: JointExchange, _ key: CoalescingKey, from table: inout Table
    ) -> JointExchange? {
        guard table[key.location]?[key] === exchange else { return nil }
        let removed = table[key.location]?.removeValue(forKey: key)
        if table[key.location]?.isEmpty == true { table[key.location] = nil }
        return removed
    }
}

/// The `==` of `URLRequest` ignores header fields, the timeout and, depending on the platform, other properties.
struct CoalescingKey: Hashable, Sendable {
    let request: URLRequest
    let location: Substring
    private let url: String
    private let headers: [String: String]

    init?(_ request: URLRequest) {
        guard request.httpMethod ?? "GET" == "GET", request.httpBody == nil, request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        self.request = request
        self.url = url
        location = url.withoutUserinfo.locationAndQuery.location
        let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        headers = Dictionary(fields) { "\($0), \($1)" }
    }

    static func == (left: CoalescingKey, right: CoalescingKey) -> Bool {
        left.url == right.url && left.headers == right.headers && left.request.isSent(like: right.request)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
    }
}

extension URLRequest {
    fileprivate func isSent(like other: URLRequest) -> Bool {
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
