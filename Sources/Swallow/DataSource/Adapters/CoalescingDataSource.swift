import Foundation

struct CoalescingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    private let base: Base
    let exchanges = CoalescedExchanges()

    init(_ base: Base) {
        self.base = base
    }

    func dataTask(with request: URLRequest, completion: @escaping PartQueue.Completion) -> any DataTask {
        // A request with its own redirect policy may receive another response than an identical request.
        guard TransferContext.current.redirects == nil, let key = CoalescingKey(request) else {
            return other(request, completion)
        }
        return ManagedDataTask(completion) { JoinOperation(key, base, exchanges, $0) }
    }

    /// An unsafe request (RFC 9110 §9.2.1) may outdate running requests for its URL, so later tasks don't join them.
    private func other(_ request: URLRequest, _ completion: @escaping PartQueue.Completion) -> any DataTask {
        guard let url = request.url, !HTTPSyntax.isSafe(request.httpMethod ?? "GET") else {
            return base.dataTask(with: request, completion: completion)
        }
        let location = url.absoluteString.plainLocation
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
    /// Returns a data source that sends simultaneous identical GETs as one request, whose response each task receives.
    ///
    /// If several views load the same resource at the same time, it sends one request:
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
    /// Store the result, as in the example, because each result shares only its own requests.
    ///
    /// - GETs without a body are identical if they have the same URL, header fields (the case of names doesn't matter,
    ///   RFC 9110 §5.1), cache policy, timeout, cookie handling and other `URLRequest` properties. So requests with
    ///   different `Authorization` fields are never joined, and neither are other methods or requests with a body.
    /// - A task joins when it is first resumed. The response isn't stored for later tasks, so this isn't a cache.
    /// - Each task can be suspended and cancelled independently. A cancelled task completes immediately with
    ///   `URLError(.cancelled)`. A suspended task completes after it is resumed. The request is suspended while all its
    ///   tasks are suspended, and cancelled when all are cancelled. After that, no task joins it.
    /// - If the request fails, all its tasks fail with the error.
    /// - A request with the option `.redirects` isn't joined.
    /// - When a request with an unsafe method (RFC 9110 §9.2.1) is resumed or completes, the requests in flight for its
    ///   URL accept no further tasks, whatever their query. So a GET after a write doesn't receive an older response.
    /// - A task whose response body is streamed doesn't share its request.
    ///
    /// The completions must not block, because they may run on a thread of the base data source. Add fields that make
    /// requests differ, such as a request ID, below this adapter: `dataSource.intercepting { … }.coalescing()`.
    public func coalescing() -> some SessionDataTaskDataSource {
        CoalescingDataSource(self)
    }
}

final class CoalescedExchanges: Sendable {
    private let table = Lock<[CoalescingKey: JointExchange]>([:])

    var isEmpty: Bool { table.withLock { $0.isEmpty } }

    func join(_ key: CoalescingKey, _ output: DataTaskOutput) -> (exchange: JointExchange, isFirst: Bool) {
        // An exchange that is over is returned as well, so that it is released outside the lock.
        let (exchange, isFirst, _) = table.withLock { table -> (JointExchange, Bool, JointExchange?) in
            if let exchange = table[key], exchange.join(output) { return (exchange, false, nil) }
            let exchange = JointExchange(output) { [self] in remove($0, key) }
            return (exchange, true, table.updateValue(exchange, forKey: key))
        }
        return (exchange, isFirst)
    }

    /// If `output` is the only member, closes the exchange to other tasks and returns `true`.
    func close(_ key: CoalescingKey, _ exchange: JointExchange, ifOnly output: DataTaskOutput) -> Bool {
        table.withLock { table in
            guard exchange.isOnly(output) else { return false }
            if table[key] === exchange { table[key] = nil }
            return true
        }
    }

    func close(_ location: Substring) {
        // The exchanges are returned, so that they are released outside the lock.
        _ = table.withLock { table in
            table.keys.filter { $0.location == location }.map { table.removeValue(forKey: $0) }
        }
    }

    private func remove(_ exchange: JointExchange, _ key: CoalescingKey) {
        table.withLock { if $0[key] === exchange { $0[key] = nil } }
    }
}

/// A comparable request. The `==` of `URLRequest` itself ignores header fields, the timeout and other properties.
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
        location = url.plainLocation
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
