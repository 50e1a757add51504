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

    private let rules: [Rule]
    private let results = Lock<[[Int]: Lock<Configuration?>]>([:])

    init(_ rules: [Rule] = []) {
        self.rules = rules
    }

    func adding(_ rule: Rule) -> ConfigurationRules {
        ConfigurationRules(rules + [rule])
    }

    func configuration(for method: Request.Method, url: String, relativeTo base: BaseURL) -> Configuration {
        if rules.isEmpty { return Configuration() }
        let matching = rules.indices.filter { index in
            let rule = rules[index]
            return rule.methods?.contains(method) ?? true && rule.pattern.matches(url, relativeTo: base)
        }
        let result = results.withLock { results in
            if let known = results[matching] { return known }
            let new = Lock<Configuration?>(nil)
            results[matching] = new
            return new
        }
        // This lock belongs to one combination alone and makes its closures run once, as `static let` would.
        return result.withLock { known in
            if let known { return known }
            var configuration = Configuration()
            for index in matching { rules[index].configure(&configuration) }
            known = configuration
            return configuration
        }
    }

    func invalidate() {
        // Released outside the lock: what a closure captured may call the service as it goes.
        _ = results.withLock { results in
            defer { results = [:] }
            return results
        }
    }
}
