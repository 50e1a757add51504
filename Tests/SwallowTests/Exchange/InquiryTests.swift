import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads the state of a task from inside the code that the task calls. If the task held its lock, the read
/// would never return.
private final class Inquirer: Sendable {
    private struct Subject: Sendable {
        weak var task: ServiceTask?
    }

    private let subject = Lock(Subject())
    private let asked = Lock<Set<String>>([])

    /// Happens when the request is sent.
    let sending = Event()

    /// The names of the callers that have read the state.
    var names: Set<String> { asked.withLock { $0 } }

    func watch(_ task: ServiceTask) {
        subject.withLock { $0.task = task }
    }

    func ask(_ name: String) {
        let task = subject.withLock { $0.task }
        _ = (task?.state, task?.metrics, task?.trailers)
        asked.withLock { _ = $0.insert(name) }
        if name == "resume" { sending.happen() }
    }
}

/// Reads the task's state when it is released.
private final class LastWords: Sendable {
    private let inquirer: Inquirer
    private let name: String

    init(_ inquirer: Inquirer, _ name: String) {
        (self.inquirer, self.name) = (inquirer, name)
    }

    deinit { inquirer.ask(name) }
}

private final class AskingClock: ServiceClock {
    let clock = ManualClock()
    private let inquirer: Inquirer

    init(_ inquirer: Inquirer) { self.inquirer = inquirer }

    var now: Date {
        inquirer.ask("now")
        return clock.now
    }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        inquirer.ask("schedule")
        let work = clock.schedule(after: delay, action)
        let lastWords = LastWords(inquirer, "work released")
        return ScheduledWork { [inquirer] in
            inquirer.ask("work cancelled")
            withExtendedLifetime(lastWords) { work.cancel() }
        }
    }
}

private struct AskingSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let inquirer: Inquirer

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        inquirer.ask("data source")
        return AskingDataTask(base.dataTask(with: request, completion: completion), inquirer)
    }
}

private final class AskingDataTask: DataTask {
    private let base: any DataTask
    private let inquirer: Inquirer

    init(_ base: any DataTask, _ inquirer: Inquirer) {
        (self.base, self.inquirer) = (base, inquirer)
    }

    deinit { inquirer.ask("data task released") }

    func resume() {
        inquirer.ask("resume")
        base.resume()
    }

    func suspend() {
        inquirer.ask("suspend")
        base.suspend()
    }

    func cancel() {
        inquirer.ask("cancel")
        base.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        inquirer.ask("stream")
        let lastWords = LastWords(inquirer, "receiver released")
        base.stream { part in withExtendedLifetime(lastWords) { receiver(part) } }
    }

    var transferProgress: TransferProgress {
        inquirer.ask("progress")
        return base.transferProgress
    }

    var transferMetrics: TransferMetrics? {
        inquirer.ask("metrics")
        return base.transferMetrics
    }

    var trailers: Headers {
        inquirer.ask("trailers")
        return base.trailers
    }
}

private struct AskingAuthenticator: Authenticator {
    let inquirer: Inquirer

    func authorize(_ request: inout URLRequest) async throws { inquirer.ask("authorize") }
    func renew(after response: HTTPURLResponse, to request: URLRequest) async throws { inquirer.ask("renew") }

    func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        inquirer.ask("is it a refusal")
        return response.statusCode == 401
    }
}

/// A cache that is called directly, without its own queue.
private final class AskingCache: EntityCache {
    let isImmediate = true
    private let base = MemoryCache()
    private let inquirer: Inquirer

    init(_ inquirer: Inquirer) { self.inquirer = inquirer }

    func key(for request: URLRequest) -> String? {
        inquirer.ask("key")
        return base.key(for: request)
    }

    func read(_ key: String) -> CachedResponse? {
        inquirer.ask("read")
        return base.read(key)
    }

    func write(_ response: CachedResponse, for key: String) {
        inquirer.ask("write")
        base.write(response, for: key)
    }

    func updateTimestamp(_ timestamp: Date, for key: String) { base.updateTimestamp(timestamp, for: key) }
    func remove(_ key: String) { base.remove(key) }
}

@Suite("A task calls other code without holding a lock")
struct InquiryTests {
    private let inquirer = Inquirer()
    private let clock: AskingClock

    init() {
        clock = AskingClock(inquirer)
    }

    private func service(
        _ answers: ScriptedDataSource.Answer..., caches: Bool = false
    ) -> WebService {
        let source = ScriptedDataSource { _, index in answers[min(index, answers.count - 1)] }
        let inquirer = inquirer
        var service = WebService.scripted(AskingSource(base: source, inquirer: inquirer), clock) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
            $0.retry.decide = { attempt in
                inquirer.ask("decide")
                return attempt.proposedWait
            }
            $0.authenticator = AskingAuthenticator(inquirer: inquirer)
            $0.timeout = .seconds(100)
            $0.adaptRequest { _ in inquirer.ask("adapt") }
            if caches { $0.pipeline[.model].cacheUsing(AskingCache(inquirer)) }
        }
        service.configureTransformer { (json: Entity<JSON>) in
            inquirer.ask("transformer")
            return json.content
        }
        service.log = { _ in inquirer.ask("log") }
        service.startTasksImmediately = false
        return service
    }

    /// Runs a request on its own threads until it completes.
    ///
    /// - Parameter body: Called after the request is sent.
    private func run(_ task: ServiceTask, _ body: (@Sendable (ServiceTask) -> Void)? = nil) async throws {
        inquirer.watch(task)
        let ended = Event()
        let inquirer = inquirer
        task.responseCompleted(.utility) { _ in
            inquirer.ask("handler")
            ended.happen()
        }
        Thread.detachNewThread { task.resume() }
        if let body {
            await inquirer.sending.wait()
            Thread.detachNewThread { body(task) }
        }
        await ended.wait()
    }

    private static let always: Set = [
        "adapt", "authorize", "data source", "resume", "schedule", "now", "log", "handler", "work cancelled",
    ]

    @Test("No lock is held during a successful request")
    func success() async throws {
        try await run(service(.status(200)).GET("/"))
        #expect(inquirer.names.isSuperset(of: Self.always.union(["transformer", "metrics"])))
    }

    @Test("No lock is held during a token refresh, a retry and the retry policy's decision")
    func tries() async throws {
        let task = service(.status(401), .status(503), .status(418)).GET("/")
        let clock = clock.clock
        let wait = Task {
            // The deadline, and the delay before the next attempt.
            try await clock.pending(atLeast: 2)
            clock.advance(by: .seconds(2))
        }
        try await run(task)
        try await wait.value
        let names = Self.always.union(["renew", "is it a refusal", "decide", "data task released"])
        #expect(inquirer.names.isSuperset(of: names))
    }

    @Test("No lock is held during a cancel and a timeout", arguments: [true, false])
    func ends(isCancelled: Bool) async throws {
        let clock = clock.clock
        try await run(service(.silence).GET("/")) { task in
            if isCancelled { task.cancel() } else { clock.advance(by: .seconds(100)) }
        }
        #expect(inquirer.names.isSuperset(of: Self.always.subtracting(["work cancelled"]).union(["cancel"])))
    }

    @Test("No lock is held during a pause")
    func pause() async throws {
        try await run(service(.silence).GET("/")) { task in
            task.suspend()
            task.resume()
            task.suspend()
            task.throwError(AppError())
        }
        #expect(inquirer.names.isSuperset(of: Self.always.union(["suspend", "cancel"])))
    }

    @Test("No lock is held while a body is streamed and its progress reported")
    func stream() async throws {
        let inquirer = inquirer
        let task = service(.status(200, body: "abc")).GET("/")
            .downloadProgress(.utility) { _ in inquirer.ask("progress handler") }
            .responseStream(.utility) { _ in inquirer.ask("part") }
        try await run(task)
        let names: Set = ["stream", "part", "progress handler", "receiver released", "trailers"]
        #expect(inquirer.names.isSuperset(of: Self.always.union(names)))
    }

    @Test("No lock is held while a cache without a queue is read and written")
    func caches() async throws {
        let service = service(.status(200), .error(.badServerResponse), caches: true)
        try await run(service.GET("/"))
        try await run(service.GET("/"))
        #expect(inquirer.names.isSuperset(of: Self.always.union(["key", "read", "write"])))
    }
}
