import Foundation
import Swallow

/// The cost that a retry policy and a token authenticator add to a request that needs neither.
let retryBenchmarks = [
    Benchmark("memory: retry and token, neither needed") {
        let queue = DispatchQueue(label: "memory")
        let source = ReadyDataSource()
        var plain = WebService(baseURLString: "http://localhost", dataSource: source)
        plain.configure { $0.headers["Authorization"] = "Bearer valid" }
        func contender(_ label: String, _ service: WebService) -> Contender {
            Contender(label, operations: 5000) { operations in
                perform(operations) { done in
                    service.GET("/stores/15217").response(queue) { _, _ in done() }
                }
            }
        }
        let authenticator = TokenAuthenticator(token: .init("valid")) { _ in .init("valid") }
        var retrying = WebService(baseURLString: "http://localhost", dataSource: source)
        retrying.configure { $0.headers["Authorization"] = "Bearer valid" }
        retrying.configure { $0.retry = .standard }
        var both = WebService(baseURLString: "http://localhost", dataSource: source)
        both.configure {
            $0.retry = .standard
            $0.authenticator = authenticator
        }
        return [
            contender("task with a configured header", plain), contender("and .standard retry", retrying),
            contender(".standard retry and a token", both),
        ]
    }
]
