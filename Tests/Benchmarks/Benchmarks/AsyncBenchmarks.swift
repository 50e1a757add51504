import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cost of awaiting a task's data, compared with a checked continuation around a data source.
let awaiting = Benchmark("await") {
    let source = ReadyDataSource()
    let bare = Contender("URLRequest and checked continuation", operations: 5000) { operations in
        wait {
            for _ in 0..<operations {
                let request = URLRequest(url: .made(of: inMemoryURLString))
                let data = await withCheckedContinuation { continuation in
                    source.dataTask(with: request) { data, _, _ in continuation.resume(returning: data) }
                        .resume()
                }
                if data == nil { fail("the data source returned no data") }
            }
        }
    }
    let swallow = Contender("try await task.data", operations: 5000) { operations in
        wait {
            for _ in 0..<operations {
                do {
                    _ = try await inMemoryTask(source).data
                } catch {
                    fail("an await failed: \(error)")
                }
            }
        }
    }
    return [bare, swallow]
}
