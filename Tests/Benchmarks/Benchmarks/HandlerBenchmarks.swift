import Foundation
import Swallow

/// The cost of each further handler on the same queue. A task with 21 handlers is compared with a task with one.
let handlerBenchmarks = [
    furtherHandler("further handler: response(queue)", ReadyDataSource()) { task, queue, done in
        task.response(queue) { _, _ in done?() }
    },
    furtherHandler("further handler: responseJSON(queue)", smallJSON) { task, queue, done in
        task.responseJSON(queue) { _ in done?() }
    },
]

private let smallJSON = ReadyDataSource(
    Data(#"{"id":1,"name":"Swallow","tags":["a","b"],"ok":true}"#.utf8), contentType: "application/json")

/// - Parameter attach: Attaches one handler. Only the last handler of a chain has a `done` closure, which it must call.
private func furtherHandler(
    _ name: String, _ source: ReadyDataSource,
    attach: @escaping @Sendable (ServiceTask, DispatchQueue, _ done: (@Sendable () -> Void)?) -> Void
) -> Benchmark {
    Benchmark(name) { () -> [Row] in
        let queue = DispatchQueue(label: "handlers")
        let contenders = [1, 21].map { count in
            Contender("task with \(count)", operations: 2000) { operations in
                perform(operations) { done in
                    let task = inMemoryTask(source)
                    for _ in 1..<count { attach(task, queue, nil) }
                    attach(task, queue, done)
                }
            }
        }
        let measurement = Measurement(contenders)
        return [
            Row(contenders[0].label, cost: measurement.cost(of: 0)),
            Row(contenders[1].label, cost: measurement.cost(of: 1)),
            Row(
                "each further handler", cost: measurement.costOfStep(from: 0, to: 1, steps: 20),
                goal: .cpu(0.4)),
        ]
    }
}
