import Dispatch
import Foundation
import Swallow
import SwallowResources

/// The cost of reading one entity through a repository, compared with the same request without one.
let repositoryBenchmarks = [
    Benchmark("repository: awaited") {
        let source = ReadyDataSource(
            Data(#"{"id":15217,"name":"Ada"}"#.utf8), contentType: "application/json")
        let chain = Contender("try await GET.decoded(as:)", operations: 5000) { operations in
            wait {
                for _ in 0..<operations {
                    check(try? await byHand(source, id: 15217).decoded(as: Customer.self))
                }
            }
        }
        let repository = Contender("try await customers.read(id:).value", operations: 5000) { operations in
            wait {
                for _ in 0..<operations { check(try? await customers(source).read(id: 15217).value) }
            }
        }
        return rows(chain, repository)
    },
    Benchmark("repository: with handlers") {
        let source = ReadyDataSource(
            Data(#"{"id":15217,"name":"Ada"}"#.utf8), contentType: "application/json")
        let queue = DispatchQueue(label: "repository")
        let chain = Contender("GET.responseDecoded(queue).responseError(queue)", operations: 5000) {
            operations in
            perform(operations) { done in
                byHand(source, id: 15217)
                    .responseDecoded(queue, as: Customer.self) { customer in
                        check(customer)
                        done()
                    }
                    .responseError(queue) { _ in check(nil) }
            }
        }
        let repository = Contender("customers.read(id:).start(queue)", operations: 5000) { operations in
            perform(operations) { done in
                customers(source).read(id: 15217).start(queue) { result in
                    check(try? result.get())
                    done()
                }
            }
        }
        return rows(chain, repository)
    },
]

private struct Customer: Codable, Identifiable, Sendable {
    let id: Int
    let name: String
}

private struct Customers: Readable {
    typealias Model = Customer
    let service: WebService
    let name: Request.Path = "stores"
}

/// Sends the request without a repository. Like an app, it creates the service in place.
private func byHand(_ source: some SessionDataTaskDataSource, id: Int) -> ServiceTask {
    WebService(baseURLString: "http://localhost", dataSource: source).GET("/stores/\(id)")
}

private func customers(_ source: some SessionDataTaskDataSource) -> Customers {
    Customers(service: WebService(baseURLString: "http://localhost", dataSource: source))
}

private func check(_ customer: Customer?) {
    if customer?.id != 15217 { fail("a customer was not read") }
}

/// Returns rows for both contenders, and a row for the cost that the repository adds.
private func rows(_ byHand: Contender, _ repository: Contender) -> [Row] {
    let measurement = Measurement([byHand, repository])
    return [
        Row(byHand.label, cost: measurement.cost(of: 0)),
        Row(repository.label, cost: measurement.cost(of: 1), result: .ratio(measurement.ratio(of: 1, to: 0))),
        Row(
            "what the repository adds", cost: measurement.costOfStep(from: 0, to: 1, steps: 1), goal: .cpu(2)),
    ]
}
