import Foundation
import Swallow
import SwallowTesting

/// The cost of a task without its transport.
let taskBenchmarks = [
    Benchmark("memory: each starts the next") {
        let queue = DispatchQueue(label: "memory")
        let source = ReadyDataSource()
        let floor = Contender("URL, URLRequest and one hop", operations: 5000) { operations in
            perform(operations) { done in floorOperation(on: queue, done) }
        }
        let task = Contender("task with one response(queue)", operations: 5000, goal: .cpu(6)) { operations in
            perform(operations) { done in
                inMemoryTask(source).response(queue) { _, _ in done() }
            }
        }
        // A stub records its requests, so each round creates its own stub.
        let stubbed = Contender("the same, StubDataSource", operations: 5000, goal: .cpu(6)) { operations in
            let stub = StubDataSource().stub(.GET, "/stores/*", .text("ready"))
            perform(operations) { done in
                inMemoryTask(stub).response(queue) { _, _ in done() }
            }
        }
        return [floor, task, stubbed]
    },
    Benchmark("memory: started from another thread") {
        let queue = DispatchQueue(label: "memory")
        let source = ReadyDataSource()
        let floor = Contender("URL, URLRequest and one hop", operations: 5000) { operations in
            for _ in 0..<operations { floorOperation(on: queue) {} }
            queue.sync {}
        }
        let task = Contender("task with one response(queue)", operations: 5000) { operations in
            for _ in 0..<operations {
                inMemoryTask(source).response(queue) { _, _ in }
            }
            queue.sync {}
        }
        return [floor, task]
    },
]
