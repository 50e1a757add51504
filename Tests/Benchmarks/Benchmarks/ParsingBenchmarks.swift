import Foundation
import Swallow

/// Shows that ten handlers of one response share one parse.
let parsingOnce = Benchmark("JSON: parsed once, 600 KB") {
    let queue = DispatchQueue(label: "parsing")
    let source = ReadyDataSource(JSONCorpus.posts.data, contentType: "application/json")
    return [1, 10].map { count in
        let goal: Goal? = count > 1 ? .result(1.03, safe: 1.5) : nil
        return Contender("responseJSON × \(count)", operations: 50, goal: goal) { operations in
            perform(operations) { done in
                let task = inMemoryTask(source)
                for _ in 1..<count { task.responseJSON(queue) { _ in } }
                task.responseJSON(queue) { _ in done() }
            }
        }
    }
}
