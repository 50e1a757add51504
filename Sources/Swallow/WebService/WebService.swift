import Foundation

/// A web service: a base URL, and the settings for sending requests and reading responses.
///
/// A service is a cheap value. Create it where you need it, and write a function in an extension for each endpoint:
///
/// ```swift
/// extension WebService {
///     static let stores = WebService(baseURLString: "https://api.example.com/v1")
///
///     func searchStores(zipCode: String) -> ServiceTask {
///         GET("/stores", parameters: ["zip": zipCode])
///     }
/// }
/// ```
public struct WebService: Sendable {
    /// The URL that relative paths are appended to.
    public let baseURLString: String
    /// Whether functions such as `GET` start the task. The default is true. If false, call ``ServiceTask/resume()``.
    public var startTasksImmediately: Bool
    /// The data source that sends the requests. The default is ``standardDataSource``.
    public var dataSource: any SessionDataTaskDataSource {
        didSet { transferSource = dataSource.asTransferSource }
    }
    /// The closure that receives a task's failure if no handler and no `await` has received it, except a cancellation.
    /// Called on any thread, when the task is released. By default, debug builds write a line to standard error.
    public var unhandledError: (@Sendable (ServiceError) -> Void)? = WebService.logUnhandledError
    /// The closure that receives the service's log events, on any thread. The default is `nil`.
    public var log: (@Sendable (LogEvent) -> Void)?
    /// The rules for redacting secrets in logs and in the text of errors. The default is ``LogRedaction/standard``.
    public var logRedaction = LogRedaction.standard

    /// Whether debug builds report tasks with handlers that aren't resumed within a minute.
    var expectsResume = true

    /// The clock that dates responses and measures delays and most timeouts. The default is the system's clock.
    public var clock: any ServiceClock {
        get { context?.clock ?? .system }
        set {
            let clock = newValue is SystemClock ? nil : newValue
            context = TaskContext(clock: clock, watcher: context?.watcher, load: context?.load)
        }
    }

    let base: BaseURL
    private var transferSource: (any TransferSource)?
    private(set) var context: TaskContext?
    private let start: ConfigurationRules.Result
    private var rules = ConfigurationRules.none

    /// Creates a service. If the base URL isn't an HTTP URL, each task with a relative path fails with `.invalidURL`.
    ///
    /// - Parameters:
    ///   - baseURLString: The URL that paths are appended to. `ws` and `wss` stand for `http` and `https`.
    ///   - dataSource: The data source that sends the requests, by default ``standardDataSource``.
    ///   - standardTransformers: The parsers of responses, by default all.
    ///   - startTasksImmediately: Whether functions such as `GET` start the task, by default true.
    public init(
        baseURLString: String, dataSource: any SessionDataTaskDataSource = WebService.standardDataSource,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        startTasksImmediately: Bool = true
    ) {
        self.baseURLString = baseURLString.withHTTPScheme
        self.startTasksImmediately = startTasksImmediately
        self.dataSource = dataSource
        transferSource = dataSource.asTransferSource
        start =
            standardTransformers == StandardTransformer.all
            ? .standard : ConfigurationRules.Result(Configuration(standardTransformers: standardTransformers))
        base = BaseURL(self.baseURLString)
    }

    /// Creates a service with a `URL`. If its scheme isn't `http`, `https`, `ws` or `wss`, tasks with relative paths
    /// fail with `.invalidURL`.
    public init(
        baseURL: URL, dataSource: any SessionDataTaskDataSource = WebService.standardDataSource,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        startTasksImmediately: Bool = true
    ) {
        self.init(
            baseURLString: baseURL.absoluteString, dataSource: dataSource,
            standardTransformers: standardTransformers, startTasksImmediately: startTasksImmediately)
    }

    /// The data source that services use by default. These services share its connections.
    public static var standardDataSource: any SessionDataTaskDataSource { StandardDataSource.shared }

    /// Sends a request with any method (RFC 9110 §9.1). Functions such as `GET` call this function. A complete HTTP URL
    /// as the path replaces the base URL. GET and HEAD send the parameters in the query, and every other method sends
    /// them in the body. The options replace settings of the service's configuration.
    @discardableResult
    public func request(
        _ method: Request.Method, path: Request.Path, parameters: Parameters = [:],
        options: [Request.Option] = []
    ) -> ServiceTask {
        let url = base.joined(path)
        let settings = settings(for: method, url: url)
        let request = Request(
            method, url, base: base, path: path, parameters: parameters, options: options,
            settings, redaction: logRedaction)
        let log = log.map { TaskLog(request, sink: $0, redaction: logRedaction, clock: context?.clock) }
        let task = ServiceTask(
            request: request, dataSource: dataSource, transferSource: transferSource, plan: settings.plan,
            context: context, log: log, unhandledError: unhandledError,
            startsAtOnce: startTasksImmediately)
        if startTasksImmediately { return task }
        #if DEBUG
            if expectsResume {
                DispatchQueue.utility.asyncAfter(deadline: .now() + 60) { [weak task] in
                    task?.reportIfNotResumed()
                }
            }
        #endif
        return task
    }
}

extension WebService {
    func settings(for method: Request.Method, url: String) -> ConfigurationRules.Result {
        // A method reference in place of this closure would copy the complete service to the heap.
        rules.result(for: method, url: url, relativeTo: base, start: start) { report($0) }
    }

    /// A copy of the service that doesn't start its tasks. Another part of the package resumes them.
    var unstarted: WebService {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return service
    }

    func withContext(watcher: TaskWatcher?, load: LoadMode?) -> WebService {
        var service = self
        service.context = TaskContext(clock: context?.clock, watcher: watcher, load: load)
        return service
    }

    private func report(_ problem: String) {
        if let log { return log(.misconfigured(problem)) }
        #if DEBUG
            let isNew = Self.reported.withLock { $0.insert(problem).inserted }
            if isNew { LineWriter.standardError.write("Swallow: misconfigured: \(problem)") }
        #endif
    }

    #if DEBUG
        private static let reported = Lock<Set<String>>([])
    #endif

    /// Configures the requests that match a pattern and a set of methods. `nil`, the default, matches all methods. The
    /// closures run in the order in which they were added, and their result is stored for later requests. For values
    /// that differ between requests, use `WebService.Configuration.adaptRequest`.
    public mutating func configure(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) {
        rules = rules.adding(.init(pattern: pattern, methods: methods, configure: configurer))
    }

    /// Runs the `configure` closures again for the next requests of this service and copies with the same closures.
    public func invalidateConfiguration() {
        rules.invalidate()
    }

    /// Removes the stored responses of matching URLs, by default all, from the caches of the service's pipelines. The
    /// caches don't store the responses to requests that were sent before, even if the pattern doesn't match. Your own
    /// caches must implement ``EntityCache/removeAll(where:)``. To find all caches, the call may run
    /// ``configure(_:methods:_:)`` closures, even if they have already run.
    public func wipeCaches(_ pattern: URLPattern = .all) {
        let stores = rules.allResults(start: start).flatMap { $0.plan.stages.compactMap(\.store) }
        CacheEpochs.begin(stores.map(\.identity))
        for store in stores {
            store.perform { [base] store in
                store.cache.removeAll { pattern.matches($0.absoluteString, relativeTo: base) }
            }
        }
    }

    private static func logUnhandledError(_ error: ServiceError) {
        #if DEBUG
            LineWriter.standardError.write("Swallow: unhandled error: \(error)")
        #endif
    }
}

extension WebService {
    /// Reads a resource (RFC 9110 §9.3.1). Parameters are sent in the query. The returned task is already running,
    /// unless ``startTasksImmediately`` is false.
    @discardableResult
    public func GET(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.GET, path: path, parameters: parameters, options: options)
    }

    /// Reads a resource's head (RFC 9110 §9.3.2). Parameters are sent in the query.
    @discardableResult
    public func HEAD(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.HEAD, path: path, parameters: parameters, options: options)
    }

    /// Sends a body for the resource to process (RFC 9110 §9.3.3). Parameters are sent in the body.
    @discardableResult
    public func POST(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.POST, path: path, parameters: parameters, options: options)
    }

    /// Replaces a resource (RFC 9110 §9.3.4). Parameters are sent in the body.
    @discardableResult
    public func PUT(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.PUT, path: path, parameters: parameters, options: options)
    }

    /// Changes part of a resource (RFC 5789). Parameters are sent in the body.
    @discardableResult
    public func PATCH(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.PATCH, path: path, parameters: parameters, options: options)
    }

    /// Removes a resource (RFC 9110 §9.3.5). Parameters are sent in the body.
    @discardableResult
    public func DELETE(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.DELETE, path: path, parameters: parameters, options: options)
    }

    /// Requests the communication options of a resource (RFC 9110 §9.3.7). Parameters are sent in the body.
    @discardableResult
    public func OPTIONS(
        _ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = []
    ) -> ServiceTask {
        request(.OPTIONS, path: path, parameters: parameters, options: options)
    }
}
