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
private final class StateReader: Sendable {
    private struct Subject: Sendable {
        weak var task: ServiceTask?
    }

    private let subject = Lock(Subject())
    private let readers = Lock<Set<String>>([])

    /// An event that happens when the request is sent.
    let sending = Event()

    /// The names of the callers that have read the state.
    var names: Set<String> { readers.withLock { $0 } }

    func watch(_ task: ServiceTask) {
        subject.withLock { $0.task = task }
    }

    func readState(_ name: String) {
        let task = subject.withLock { $0.task }
        _ = task?.state
        // The task reads its metrics and trailers from the data task, so the data task can't read them there.
        if !["progress", "metrics", "trailers"].contains(name) { _ = (task?.metrics, task?.trailers) }
        readers.withLock { _ = $0.insert(name) }
        if name == "resume" { sending.happen() }
    }
}

/// An object that reads the task's state when it is released.
private final class ReleaseReader: Sendable {
    private let reader: StateReader
    private let name: String

    init(_ reader: StateReader, _ name: String) {
        (self.reader, self.name) = (reader, name)
    }

    deinit { reader.readState(name) }
}

private final class ReadingClock: ServiceClock {
    let clock = ManualClock()
    private let reader: StateReader

    init(_ reader: StateReader) { self.reader = reader }

    var now: Date {
        reader.readState("now")
        return clock.now
    }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        reader.readState("schedule")
        let work = clock.schedule(after: delay, action)
        let releaseReader = ReleaseReader(reader, "work released")
        return ScheduledWork { [reader] in
            reader.readState("work cancelled")
            withExtendedLifetime(releaseReader) { work.cancel() }
        }
    }
}

private struct ReadingSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let reader: StateReader

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        reader.readState("data source")
        return ReadingDataTask(base.dataTask(with: request, completion: completion), reader)
    }
}

private final class ReadingDataTask: DataTask {
    private let base: any DataTask
    private let reader: StateReader

    init(_ base: any DataTask, _ reader: StateReader) {
        (self.base, self.reader) = (base, reader)
    }

    deinit { reader.readState("data task released") }

    func resume() {
        reader.readState("resume")
        base.resume()
    }

    func suspend() {
        reader.readState("suspend")
        base.suspend()
    }

    func cancel() {
        reader.readState("cancel")
        base.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        reader.readState("stream")
        let releaseReader = ReleaseReader(reader, "receiver released")
        base.stream { part in withExtendedLifetime(releaseReader) { receiver(part) } }
    }

    var transferProgress: TransferProgress {
        reader.readState("progress")
        return base.transferProgress
    }

    var transferMetrics: TransferMetrics? {
        reader.readState("metrics")
        return base.transferMetrics
    }

    var trailers: Headers {
        reader.readState("trailers")
        return base.trailers
    }
}

private struct ReadingAuthenticator: Authenticator {
    let reader: StateReader

    func authorize(_ request: inout URLRequest) async throws { reader.readState("authorize") }
    func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws {
        reader.readState("refresh")
    }

    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        reader.readState("is it a rejection")
        return response.statusCode == 401
    }
}

/// A cache that is called directly, without its own queue.
private final class ReadingCache: EntityCache {
    let isImmediate = true
    private let base = MemoryCache()
    private let reader: StateReader

    init(_ reader: StateReader) { self.reader = reader }

    func key(for request: URLRequest) -> String? {
        reader.readState("key")
        return base.key(for: request)
    }

    func read(_ key: String) -> CachedResponse? {
        reader.readState("read")
        return base.read(key)
    }

    func write(_ response: CachedResponse, for key: String) {
        reader.readState("write")
        base.write(response, for: key)
    }

    func updateTimestamp(_ timestamp: Date, for key: String) { base.updateTimestamp(timestamp, for: key) }
    func remove(_ key: String) { base.remove(key) }
}

@Suite("A task calls other code without holding a lock")
struct TaskLockTests {
    private let reader = StateReader()
    private let clock: ReadingClock

    init() {
        clock = ReadingClock(reader)
    }

    private func service(
        _ answers: ScriptedDataSource.Answer..., caches: Bool = false
    ) -> WebService {
        let source = ScriptedDataSource { _, index in answers[min(index, answers.count - 1)] }
        let reader = reader
        var service = WebService.scripted(ReadingSource(base: source, reader: reader), clock) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
            $0.retry.decide = { attempt in
                reader.readState("decide")
                return attempt.proposedDelay
            }
            $0.authenticator = ReadingAuthenticator(reader: reader)
            $0.timeout = .seconds(100)
            $0.adaptRequest { _ in reader.readState("adapt") }
            if caches { $0.pipeline[.model].cacheUsing(ReadingCache(reader)) }
        }
        service.configureTransformer { (json: Entity<JSON>) in
            reader.readState("transformer")
            return json.content
        }
        service.log = { _ in reader.readState("log") }
        service.startTasksImmediately = false
        return service
    }

    /// Runs a request on its own threads until it completes.
    ///
    /// - Parameter body: Called after the request is sent.
    private func run(_ task: ServiceTask, _ body: (@Sendable (ServiceTask) -> Void)? = nil) async throws {
        reader.watch(task)
        let ended = Event()
        let reader = reader
        task.responseCompleted(.utility) { _ in
            reader.readState("handler")
            ended.happen()
        }
        Thread.detachNewThread { task.resume() }
        if let body {
            await reader.sending.wait()
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
        #expect(reader.names.isSuperset(of: Self.always.union(["transformer", "metrics"])))
    }

    @Test("No lock is held during a token refresh, a retry and the retry policy's decision")
    func retries() async throws {
        let task = service(.status(401), .status(503), .status(418)).GET("/")
        let clock = clock.clock
        let wait = Task {
            // The deadline, and the delay before the next attempt.
            try await clock.pending(atLeast: 2)
            clock.advance(by: .seconds(2))
        }
        try await run(task)
        try await wait.value
        let names = Self.always.union(["refresh", "is it a rejection", "decide"])
        #expect(reader.names.isSuperset(of: names))
    }

    @Test("No lock is held during a cancel and a timeout", arguments: [true, false])
    func ends(isCancelled: Bool) async throws {
        let clock = clock.clock
        try await run(service(.silence).GET("/")) { task in
            if isCancelled { task.cancel() } else { clock.advance(by: .seconds(100)) }
        }
        #expect(reader.names.isSuperset(of: Self.always.subtracting(["work cancelled"]).union(["cancel"])))
    }

    @Test("No lock is held during a pause")
    func pause() async throws {
        try await run(service(.silence).GET("/")) { task in
            task.suspend()
            task.resume()
            task.suspend()
            task.throwError(AppError())
        }
        #expect(reader.names.isSuperset(of: Self.always.union(["suspend", "cancel"])))
    }

    @Test("No lock is held while a body is streamed and its progress reported")
    func stream() async throws {
        let reader = reader
        let task = service(.status(200, body: "abc")).GET("/")
            .downloadProgress(.utility) { _ in reader.readState("progress handler") }
            .responseStream(.utility) { _ in reader.readState("part") }
        try await run(task)
        let names: Set = ["stream", "part", "progress handler", "receiver released", "trailers"]
        #expect(reader.names.isSuperset(of: Self.always.union(names)))
    }

    @Test("No lock is held while a cache without a queue is read and written")
    func caches() async throws {
        let service = service(.status(200), .error(.badServerResponse), caches: true)
        try await run(service.GET("/"))
        try await run(service.GET("/"))
        #expect(reader.names.isSuperset(of: Self.always.union(["key", "read", "write"])))
    }
}
