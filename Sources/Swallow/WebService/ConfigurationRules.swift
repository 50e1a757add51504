/// What `configure` was told, and what came of it.
///
/// The closures run once for each combination of patterns that matches, in the order added; the copies of a
/// service share the result, so that whatever a closure makes is one thing.
final class ConfigurationRules: Sendable {
    struct Rule: Sendable {
        let pattern: URLPattern
        let methods: Set<Request.Method>?
        let configure: @Sendable (inout Configuration) -> Void
    }

    /// A configuration, and its pipeline made ready to run. An object, as each request passes it around.
    final class Result: Sendable {
        let configuration: Configuration
        let plan: PipelinePlan
        private let conventions: Request.Conventions

        init(_ configuration: Configuration) {
            self.configuration = configuration
            conventions = Request.Conventions(
                configuration.jsonCoding, configuration.defaultFields, .standard)
            plan = PipelinePlan(configuration.pipeline, jsonDecoding: configuration.jsonDecoding)
        }

        /// What the requests have in common.
        ///
        /// - Parameter redaction: nil for the standard one, which is made ready.
        func conventions(_ redaction: LogRedaction?) -> Request.Conventions {
            guard let redaction else { return conventions }
            return Request.Conventions(conventions.jsonCoding, conventions.defaultFields, redaction)
        }

        /// What a service has that was told nothing.
        static let standard = Result(Configuration())
    }

    private let rules: [Rule]
    private let reported = Lock<Set<String>>([])
    private let results = Lock<[[Int]: Lock<Result?>]>([:])

    /// Those of a service that was told nothing: shared, since on Linux two locks take ten pieces of the heap.
    static let none = ConfigurationRules([])

    private init(_ rules: [Rule]) {
        self.rules = rules
    }

    func adding(_ rule: Rule) -> ConfigurationRules {
        ConfigurationRules(rules + [rule])
    }

    /// - Parameters:
    ///   - start: what the closures change.
    ///   - report: is told, once, what in the result has no effect.
    func result(
        for method: Request.Method, url: String, relativeTo base: BaseURL, start: Result,
        report: (String) -> Void
    ) -> Result {
        if rules.isEmpty { return start }
        let matching = rules.indices.filter { index in
            let rule = rules[index]
            return rule.methods?.contains(method) ?? true && rule.pattern.matches(url, relativeTo: base)
        }
        let result = results.withLock { results in
            if let known = results[matching] { return known }
            let new = Lock<Result?>(nil)
            results[matching] = new
            return new
        }
        // This lock belongs to one combination alone and makes its closures run once, as `static let` would.
        let (settled, isNew) = result.withLock { known in
            if let known { return (known, false) }
            let new = configured(start, by: matching)
            known = new
            return (new, true)
        }
        if isNew {
            // Many combinations have the same problem.
            let patternProblems = rules.compactMap { $0.pattern.problem(relativeTo: base) }
            for problem in patternProblems + settled.plan.problems
            where reported.withLock({ $0.insert(problem).inserted }) { report(problem) }
        }
        return settled
    }

    /// The result of each combination that a request has matched so far, and of each rule by itself: whatever is
    /// configured is in one of them.
    func allResults(start: Result) -> [Result] {
        let known = results.withLock { $0 }
        let others = rules.indices.map { [$0] }.filter { known[$0] == nil }
        return known.values.compactMap { $0.withLock { $0 } } + others.map { configured(start, by: $0) }
    }

    private func configured(_ start: Result, by combination: [Int]) -> Result {
        var configuration = start.configuration
        for index in combination { rules[index].configure(&configuration) }
        return Result(configuration)
    }

    func invalidate() {
        // Released outside the lock: what a closure captured may call the service as it goes.
        _ = results.withLock { results in
            defer { results = [:] }
            return results
        }
    }
}
