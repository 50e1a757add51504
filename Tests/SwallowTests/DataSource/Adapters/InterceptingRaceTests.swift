import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Intercepting requests from many threads")
struct InterceptingRaceTests {
    @Test(
        "If resumes, suspends and cancels race closures and responses, each task completes once",
        arguments: 0..<3)
    func storm(order: Int) async throws {
        let base = RacingDataSource()
        let interceptor: InterceptOperation.Interceptor = { request, next in
            await Task.yield()
            return try await next(request)
        }
        let source: any SessionDataTaskDataSource =
            switch order {
            case 0: base.intercepting(interceptor)
            case 1: base.intercepting(interceptor).coalescing()
            default: base.coalescing().intercepting(interceptor)
            }
        for _ in 0..<Sanitizer.rounds(20, sanitized: 5) {
            try await Storm(over: source, paths: 5).expectEnds()
        }
    }

    @Test("Tasks that raced are released", arguments: [true, false])
    func memory(isCancelled: Bool) async throws {
        let events = (0..<200).map { _ in Event() }
        let base = RacingDataSource()
        do {
            let source = base.intercepting { request, next in
                await Task.yield()
                return try await next(request)
            }
            let tasks = events.map { event in
                let token = Token(event)
                return source.dataTask(with: .to("http://h/a")) { _, _, _ in withExtendedLifetime(token) {} }
            }
            try await onThread {
                DispatchQueue.concurrentPerform(iterations: tasks.count) { index in
                    tasks[index].resume()
                    if isCancelled { tasks[index].cancel() }
                }
            }
        }
        for event in events { await event.wait() }
    }
}
