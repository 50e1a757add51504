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
    /// Whether the verbs return a running task. The default is true. If false, call ``ServiceTask/resume()``.
    public var startTasksImmediately: Bool
    /// The data source that sends the requests.
    public var dataSource: any SessionDataTaskDataSource {
        didSet { transferSource = dataSource.asTransferSource }
    }
    /// Receives each failure, except cancellation, that no handler and no `await` of its task received. Called on any
    /// thread, when the task is released. The default writes one line to standard error in debug builds.
    public var unhandledError: (@Sendable (ServiceError) -> Void)? = WebService.logUnhandledError
    /// Receives the events of each task of the service, on any thread. `nil`, the default, costs nothing.
    public var log: (@Sendable (LogEvent) -> Void)?
    /// The secrets that are redacted in logs and in the text of errors. The default is ``LogRedaction/standard``.
    public var logRedaction: LogRedaction {
        get { ownRedaction ?? .standard }
        set { ownRedaction = newValue }
    }

    private var ownRedaction: LogRedaction?

    /// Whether a task that is never resumed is reported. False for futures and event sources, which resume their tasks.
    var expectsResume = true

    /// The clock that dates the service's responses and times its delays. The default is the system's clock.
    public var clock: any ServiceClock {
        get { context?.clock ?? .system }
        set {
            let clock = newValue is SystemClock ? nil : newValue
            context = TaskContext(
                clock: clock, watcher: context?.watcher, load: context?.load)
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
    ///   - standardTransformers: The parsers of responses.
    ///   - startTasksImmediately: Whether the verbs return a running task. If false, call ``ServiceTask/resume()``.
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

    /// Creates a service.
    public init(
        baseURL: URL, dataSource: any SessionDataTaskDataSource = WebService.standardDataSource,
        standardTransformers: [StandardTransformer] = StandardTransformer.all,
        startTasksImmediately: Bool = true
    ) {
        self.init(
            baseURLString: baseURL.absoluteString, dataSource: dataSource,
            standardTransformers: standardTransformers, startTasksImmediately: startTasksImmediately)
    }

    /// The data source that services use by default. All services of the process share it, so connections are reused.
    public static var standardDataSource: any SessionDataTaskDataSource { StandardDataSource.shared }

    /// Sends a request with any method. The verbs call this function.
    ///
    /// - Parameters:
    ///   - method: The method. It can be any token (RFC 9110 §9.1).
    ///   - path: A path that is appended to the base URL's path, or a complete `http` or `https` URL.
    ///   - parameters: The parameters. GET and HEAD send them in the query, all other methods in the body.
    ///   - options: The settings of this request that differ from the service's configuration.
    @discardableResult
    public func request(
        _ method: Request.Method, path: Request.Path, parameters: Parameters = [:],
        options: [Request.Option] = []
    ) -> ServiceTask {
        let url = base.joined(path)
        let settings = settings(for: method, url: url)
        let request = Request(
            method, url, base: base, path: path, parameters: parameters, options: options,
            configuration: settings.configuration, settings.conventions(ownRedaction))
        return task(for: request, settings.plan)
    }

    private func task(for request: consuming Request, _ plan: PipelinePlan) -> ServiceTask {
        let log = if let log { self.log(for: request, to: log) } else { nil as TaskLog? }
        let task = ServiceTask(
            request: request, dataSource: dataSource, transferSource: transferSource, plan: plan,
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
    private func log(for request: Request, to sink: @escaping @Sendable (LogEvent) -> Void) -> TaskLog {
        TaskLog(request, sink: sink, redaction: logRedaction, clock: context?.clock)
    }

    func settings(for method: Request.Method, url: String) -> ConfigurationRules.Result {
        // This is a closure because a reference to the method would copy the complete service to the heap.
        rules.result(for: method, url: url, relativeTo: base, start: start) { report($0) }
    }

    func withContext(watcher: TaskWatcher?, load: LoadMode?) -> WebService {
        var service = self
        service.context = TaskContext(clock: context?.clock, watcher: watcher, load: load)
        return service
    }

    private func report(_ problem: String) {
        if let log { return log(.misconfigured(problem)) }
        #if DEBUG
            // Apps may create the service again for each use, but the problem is reported only once.
            let isNew = Self.reported.withLock { $0.insert(problem).inserted }
            if isNew { LineWriter.standardError.write("Swallow: misconfigured: \(problem)") }
        #endif
    }

    #if DEBUG
        private static let reported = Lock<Set<String>>([])
    #endif

    /// Configures the requests that match a pattern and, if given, methods.
    ///
    /// The closures that match a request run in the order in which they were added. Their result is stored for later
    /// requests. For values that differ from request to request, use `WebService.Configuration.adaptRequest`.
    public mutating func configure(
        _ pattern: URLPattern = .all, methods: Set<Request.Method>? = nil,
        _ configurer: @escaping @Sendable (inout Configuration) -> Void
    ) {
        rules = rules.adding(.init(pattern: pattern, methods: methods, configure: configurer))
    }

    /// Runs the `configure` closures again for the next requests of this service and its copies.
    public func invalidateConfiguration() {
        rules.invalidate()
    }

    /// Removes the responses to matching requests, by default all, from the caches of the service's pipelines.
    ///
    /// Tasks that start later don't find these responses. If a response is arriving now, its task receives it, but the
    /// caches don't store it, whatever its URL. The app's own caches take part if they implement
    /// ``EntityCache/removeAll(where:)``. The closures of ``configure(_:methods:_:)`` that no request has needed yet run
    /// now, to find their caches.
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
