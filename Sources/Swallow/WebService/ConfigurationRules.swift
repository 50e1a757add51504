import Foundation

/// The `configure` closures of a service, and the stored configurations that result from them. Two threads may run a
/// closure at the same time, because a thread that waits for another one could deadlock.
final class ConfigurationRules: Sendable {
    final class Result: Sendable {
        let configuration: WebService.Configuration
        let plan: PipelinePlan
        private let conventions: Request.Conventions

        init(_ configuration: WebService.Configuration) {
            self.configuration = configuration
            conventions = configuration.conventions(.standard)
            let isStandard = configuration.jsonCoding === JSONCoding.standard
            plan = PipelinePlan(
                configuration.pipeline, jsonDecoding: isStandard ? nil : configuration.jsonDecoding)
        }

        func conventions(_ redaction: LogRedaction) -> Request.Conventions {
            redaction == .standard ? conventions : configuration.conventions(redaction)
        }

        static let standard = Result(WebService.Configuration())
    }

    private struct StoredResult: Sendable {
        let result: Result
        var isChecked = false
    }

    private struct State: Sendable {
        var results: [[Int]: StoredResult] = [:]
        var generation = 0
        var reported: Set<String> = []
    }

    private let rules: [Rule]
    private let state = Lock(State())

    static let none = ConfigurationRules([])

    private init(_ rules: [Rule]) {
        self.rules = rules
    }

    func adding(_ rule: Rule) -> ConfigurationRules {
        ConfigurationRules(rules + [rule])
    }

    /// Returns a request's configuration. Doesn't rerun closures that run on this thread. `report` receives mistakes.
    func result(
        for method: Request.Method, url: String, relativeTo base: BaseURL, start: Result,
        report: (String) -> Void
    ) -> Result {
        if rules.isEmpty { return start }
        let matching = rules.indices.filter { index in
            let rule = rules[index]
            return rule.methods?.contains(method) ?? true && rule.pattern.matches(url, relativeTo: base)
        }
        if let stored = state.withLock({ $0.results[matching] }), stored.isChecked { return stored.result }
        let others = matching.filter { !rules[$0].isRunningHere }
        if others.count < matching.count {
            report(
                "a configure closure for \(base.plainRoot) creates a request of the same service. The closures that are running don't configure this request"
            )
        }
        let result = result(of: others, start)
        let patternProblems = rules.compactMap { $0.pattern.problem(relativeTo: base) }
        for problem in patternProblems + result.plan.problems
        where state.withLock({ $0.reported.insert(problem).inserted }) { report(problem) }
        if others.count == matching.count { state.withLock { $0.results[matching]?.isChecked = true } }
        return result
    }

    private func result(of combination: [Int], _ start: Result) -> Result {
        let (known, generation) = state.withLock { ($0.results[combination], $0.generation) }
        if let known { return known.result }
        var configuration = start.configuration
        for index in combination { rules[index].apply(to: &configuration) }
        let result = Result(configuration)
        return state.withLock { state in
            if let stored = state.results[combination] { return stored.result }
            // If `invalidate()` was called while the closures ran, the result isn't stored for later requests.
            if state.generation == generation { state.results[combination] = StoredResult(result: result) }
            return result
        }
    }

    /// Returns the stored results and the results of single rules, to find the caches that the rules configure.
    func allResults(start: Result) -> [Result] {
        let known = state.withLock { $0.results }
        let others = rules.indices.filter { known[[$0]] == nil && !rules[$0].isRunningHere }
        return known.values.map(\.result) + others.map { result(of: [$0], start) }
    }

    func invalidate() {
        // The results are released outside the lock, because this may run a `deinit` that calls the service.
        _ = state.withLock { state in
            defer { state.results = [:] }
            state.generation += 1
            return state.results
        }
    }
}

extension ConfigurationRules {
    /// A `configure` call. Copies of a service share it, so that they know which threads are running its closure.
    final class Rule: Sendable {
        let pattern: URLPattern
        let methods: Set<Request.Method>?
        private let configure: @Sendable (inout WebService.Configuration) -> Void
        private let threads = Lock<[ObjectIdentifier]>([])

        init(
            pattern: URLPattern, methods: Set<Request.Method>?,
            configure: @escaping @Sendable (inout WebService.Configuration) -> Void
        ) {
            self.pattern = pattern
            self.methods = methods
            self.configure = configure
        }

        var isRunningHere: Bool {
            let thread = ObjectIdentifier(Thread.current)
            return threads.withLock { $0.contains(thread) }
        }

        func apply(to configuration: inout WebService.Configuration) {
            let thread = ObjectIdentifier(Thread.current)
            threads.withLock { $0.append(thread) }
            configure(&configuration)
            threads.withLock { $0.removeAll { $0 == thread } }
        }
    }
}
