import Foundation
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache that stores bodies without parsed content, and records its calls.
final class ByteCache: EntityCache {
    enum Call: Sendable, Equatable { case read, write, updateTimestamp, remove }

    let calls = Recorder<Call>()
    let workQueue = DispatchQueue(label: "ByteCache")
    private let entries = Lock<[String: CachedResponse]>([:])

    func read(_ key: String) -> CachedResponse? {
        calls.append(.read)
        return entries.withLock { $0[key] }
    }

    func write(_ response: CachedResponse, for key: String) {
        var response = response
        response.content = nil
        entries.withLock { [response] in $0[key] = response }
        calls.append(.write)
    }

    func updateTimestamp(_ timestamp: Date, for key: String) {
        entries.withLock { $0[key]?.timestamp = timestamp }
        calls.append(.updateTimestamp)
    }

    func remove(_ key: String) {
        entries.withLock { $0[key] = nil }
        calls.append(.remove)
    }
}

/// A cache that stores nothing and runs on the caller's thread. For each write, it records the result of a closure.
final class ImmediateCache: EntityCache {
    let isImmediate = true
    let writes = Recorder<Bool>()
    private let place: @Sendable () -> Bool

    init(_ place: @escaping @Sendable () -> Bool) { self.place = place }

    func read(_ key: String) -> CachedResponse? { nil }
    func write(_ response: CachedResponse, for key: String) { writes.append(place()) }
    func updateTimestamp(_ timestamp: Date, for key: String) {}
    func remove(_ key: String) {}
}

/// A data source that records requests, and responds with the test's closure.
final class CachingServer: SessionDataTaskDataSource {
    typealias Reply = @Sendable (ManualExchange) -> Void

    let requests = Recorder<URLRequest>()
    private let last = Lock<ManualExchange?>(nil)
    private let reply: Lock<Reply>
    private let source: Lock<ManualDataSource?> = Lock(nil)

    init(_ reply: @escaping Reply) {
        self.reply = Lock(reply)
        let source = ManualDataSource(answersInResume: { [weak self] exchange in
            guard let self else { return exchange.drop() }
            last.withLock { $0 = exchange }
            requests.append(exchange.request)
            self.reply.withLock { $0 }(exchange)
        })
        self.source.withLock { $0 = source }
    }

    func now(_ reply: @escaping Reply) { self.reply.withLock { $0 = reply } }

    /// Responds to the last request, if the closure didn't respond.
    func answerAgain() {
        guard let exchange = last.withLock({ $0.take() }) else { return }
        reply.withLock { $0 }(exchange)
    }

    /// Makes all later requests fail with `.notConnectedToInternet`.
    func goOffline() { now { $0.complete(error: URLError(.notConnectedToInternet)) } }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        source.withLock { $0 }?.dataTask(with: request, completion: completion)
            ?? ManualExchange(request: request, answersInResume: nil, completion: completion)
    }
}
