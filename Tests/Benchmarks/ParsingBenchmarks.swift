import Foundation
import Swallow

/// Ten handlers that read the JSON of one response parse it once.
let parsingOnce = Benchmark("parse once: 100 KB of JSON") {
    let queue = DispatchQueue(label: "parsing")
    let source = ReadyDataSource(storesJSON, contentType: "application/json")
    return [1, 10].map { count in
        let goal: Goal? = count > 1 ? .result(1.1) : nil
        return Contender("responseJSON × \(count)", operations: 100, goal: goal) { operations in
            perform(operations) { done in
                let task = inMemoryTask(source)
                for _ in 1..<count { task.responseJSON(queue) { _ in } }
                task.responseJSON(queue) { _ in done() }
            }
        }
    }
}

private let storesJSON: Data = {
    let store = #"{"id":15217,"name":"Swallow & Söhne","open":true,"tags":["a","b"],"at":[40.43,-79.92]}"#
    return Data("[\(Array(repeating: store, count: 1160).joined(separator: ","))]".utf8)
}()
