import Foundation

/// The closures given to `configure`, and their results.
///
/// The closures run once for each combination of patterns that matches, in the order added. The copies of a service
/// share the result, so that an object that a closure makes exists once.
final class ConfigurationRules: Sendable {
    /// A closure with its pattern. An object, so that it is recognised while it runs.
    final class Rule: Sendable {
        let pattern: URLPattern
        let methods: Set<Request.Method>?
        let configure: @Sendable (inout Configuration) -> Void

        init(
            pattern: URLPattern, methods: Set<Request.Method>?,
            configure: @escaping @Sendable (inout Configuration) -> Void
        ) {
            self.pattern = pattern
            self.methods = methods
            self.configure = configure
        }
    }

    /// A configuration, and its pipeline made ready to run. An object, as each request passes it around.
    final class Result: Sendable {
        let configuration: Configuration
        let plan: PipelinePlan
        private let conventions: Request.Conventions

        init(_ configuration: Configuration) {
            self.configuration = configuration
            conventions = configuration.conventions(.standard)
            let isStandard = configuration.jsonCoding === JSONCoding.standard
            plan = PipelinePlan(
                configuration.pipeline, jsonDecoding: isStandard ? nil : configuration.jsonDecoding)
        }

        /// The conventions that the requests have in common.
        ///
        /// - Parameter redaction: nil for the standard one, for which they are prepared.
        func conventions(_ redaction: LogRedaction?) -> Request.Conventions {
            guard let redaction else { return conventions }
            return configuration.conventions(redaction)
        }

        /// The result of a service without `configure` closures.
        static let standard = Result(Configuration())
    }

    /// The result of a combination of rules, or the wait for it.
    private enum Finding: Sendable {
        case settled(Result)
        /// Its closures run; the group is left once they have.
        case underWay(DispatchGroup)
    }

    private let rules: [Rule]
    private let reported = Lock<Set<String>>([])
    private let findings = Lock<[[Int]: Finding]>([:])

    /// The rules of a service without `configure` closures: shared, since on Linux two locks take ten allocations.
    static let none = ConfigurationRules([])

    private init(_ rules: [Rule]) {
        self.rules = rules
    }

    func adding(_ rule: Rule) -> ConfigurationRules {
        ConfigurationRules(rules + [rule])
    }

    /// - Parameters:
    ///   - start: the configuration that the closures change.
    ///   - report: called once for each setting in the result that has no effect.
    func result(
        for method: Request.Method, url: String, relativeTo base: BaseURL, start: Result,
        report: (String) -> Void
    ) -> Result {
        if rules.isEmpty { return start }
        let matching = rules.indices.filter { index in
            let rule = rules[index]
            return rule.methods?.contains(method) ?? true && rule.pattern.matches(url, relativeTo: base)
        }
        if case .settled(let known)? = findings.withLock({ $0[matching] }) { return known }
        let others = matching.filter { !RunningRules.contain(rules[$0]) }
        if others.count < matching.count {
            report(
                "a configure closure for \(base.root) makes a request of the same service, which is sent without the closures that run"
            )
            return configured(start, by: others)
        }
        return settled(matching, start) { settled in
            // Many combinations have the same problem.
            let patternProblems = rules.compactMap { $0.pattern.problem(relativeTo: base) }
            for problem in patternProblems + settled.plan.problems
            where reported.withLock({ $0.insert(problem).inserted }) { report(problem) }
        }
    }

    /// The result of a combination, whose closures run now unless they have run.
    private func settled(_ combination: [Int], _ start: Result, _ check: (Result) -> Void) -> Result {
        let group = DispatchGroup()
        group.enter()
        while true {
            let known = findings.withLock { findings in
                if let known = findings[combination] { return known as Finding? }
                findings[combination] = .underWay(group)
                return nil
            }
            switch known {
            case .settled(let result)?:
                group.leave()
                return result
            case .underWay(let other)?:
                // The closures of the other thread may wait for this one's.
                if RunningRules.areSome {
                    group.leave()
                    return configured(start, by: combination)
                }
                other.wait()
            case nil:
                let result = configured(start, by: combination)
                findings.withLock { findings in
                    // Since `invalidate()`, another thread may run the closures anew.
                    guard case .underWay(let latest)? = findings[combination], latest === group else {
                        return
                    }
                    findings[combination] = .settled(result)
                }
                group.leave()
                check(result)
                return result
            }
        }
    }

    /// The result of each combination that a request has matched so far, and of each rule by itself: together they hold
    /// all that is configured. Rules whose closures this thread is running are left out.
    func allResults(start: Result) -> [Result] {
        let known = findings.withLock { $0 }
        let others = rules.indices.filter { known[[$0]] == nil && !RunningRules.contain(rules[$0]) }
        let results = known.compactMap { combination, finding in
            switch finding {
            case .settled(let result): return result
            case .underWay(let group):
                if RunningRules.areSome { return nil }
                group.wait()
                let latest = findings.withLock { $0[combination] }
                return if case .settled(let result)? = latest { result } else { nil }
            }
        }
        return results + others.map { configured(start, by: [$0]) }
    }

    /// Runs the closures of a combination, without a lock.
    private func configured(_ start: Result, by combination: [Int]) -> Result {
        var configuration = start.configuration
        RunningRules.with(combination.map { rules[$0] }) {
            for index in combination { rules[index].configure(&configuration) }
        }
        return Result(configuration)
    }

    func invalidate() {
        // Released outside the lock: the `deinit` of an object that a closure has made may call the service.
        _ = findings.withLock { findings in
            defer { findings = [:] }
            return findings
        }
    }
}

/// The rules whose closures this thread is running.
private enum RunningRules {
    static var areSome: Bool { !current.isEmpty }

    static func contain(_ rule: ConfigurationRules.Rule) -> Bool {
        current.contains { $0 === rule }
    }

    static func with(_ rules: [ConfigurationRules.Rule], _ body: () -> Void) {
        let outer = current
        Thread.current.threadDictionary[key] = outer + rules
        body()
        Thread.current.threadDictionary[key] = outer.isEmpty ? nil : outer
    }

    private static var current: [ConfigurationRules.Rule] {
        Thread.current.threadDictionary[key] as? [ConfigurationRules.Rule] ?? []
    }

    private static let key = "Swallow.RunningRules"
}
