import Foundation
import SwallowLock

/// A buffer from which a body is sent. `fill` doesn't wait while the body is read.
package final class BodyPipe: Sendable {
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    fileprivate enum End: Sendable {
        case complete(Headers)
        case failure(ServiceError)

        var piece: BodyPiece {
            switch self {
            case .complete(let trailers):
                .end(trailers: trailers.map { (name: $0.name.rawValue, value: $0.value) })
            case .failure(let error): .failure(error)
            }
        }
    }

    fileprivate enum Source: Sendable {
        /// A reader that no job uses. `nil` before the body is opened.
        case reader(SentReader?)
        case parts(BodyParts.Run)
        case running(Task<Void, Never>)
        /// A job uses the reader, or the pipe needs no more bytes.
        case none
    }

    fileprivate struct State: Sendable {
        var source = Source.reader(nil)
        var parts: [Data] = []
        var count = 0
        var received: Int64 = 0
        var end: End?
        var isAwaited = false
        var waiter: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    package static let capacity = 256 * 1024
    private static let readSize = 64 * 1024

    package let length: Int64?
    let body: RequestBody
    private let run: Runner
    private let onReady: @Sendable () -> Void
    private let state: Lock<State>

    /// Throws `.invalidRequest` for a bad body. After `fill` returned `.later`, `onReady` runs when the wait is over.
    package convenience init(
        _ body: RequestBody, run: @escaping Runner, onReady: @escaping @Sendable () -> Void
    ) throws(ServiceError) {
        try self.init(body, length: body.measure(), run, onReady)
    }

    private init(
        _ body: RequestBody, length: Int64?, _ run: @escaping Runner,
        _ onReady: @escaping @Sendable () -> Void
    ) throws(ServiceError) {
        self.body = body
        self.length = length
        self.run = run
        self.onReady = onReady
        var state = State()
        if case .parts(let parts) = body.form {
            guard let run = parts.take() else { throw .unrepeatable }
            state.source = .parts(run)
        }
        self.state = Lock(state)
    }

    package var hasTrailers: Bool { body.hasTrailers }

    package func restarted() -> BodyPipe? {
        guard body.isRepeatable else { return nil }
        // A body that can be sent again has no Swift task, so this runs no code of the app on the loop's thread.
        cancel()
        return try? BodyPipe(body, length: length, run, onReady)
    }
}

extension BodyPipe {
    package func start() {
        let (job, parts) = state.withLock { state -> ((@Sendable () -> Void)?, BodyParts.Run?) in
            guard case .parts(let run) = state.source else { return (nextJob(&state), nil) }
            state.source = .none
            return (nil, run)
        }
        if let job { run(job) }
        if let parts { start(parts) }
    }

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let (taken, job, waiter) = state.withLock {
            state -> (BodyPiece, (@Sendable () -> Void)?, CheckedContinuation<Void, Never>?) in
            if state.isCancelled { return (.failure(ServiceError(.cancelled)), nil, nil) }
            let available = available(state)
            if available == 0, let end = state.end { return (end.piece, nil, nil) }
            let count = state.move(to: buffer, available: available)
            state.isAwaited = count == 0
            let hasRoom = state.count <= Self.capacity / 2
            return (
                count > 0 ? .bytes(count) : .later, hasRoom ? nextJob(&state) : nil,
                hasRoom ? state.waiter.take() : nil
            )
        }
        if let job { run(job) }
        waiter?.resume()
        return taken
    }

    package var isReady: Bool {
        state.withLock { available($0) > 0 || $0.end != nil || $0.isCancelled }
    }

    /// The last byte of a stated length is available only after a successful end, because the body may be longer.
    private func available(_ state: State) -> Int {
        if case .complete = state.end { return state.count }
        return state.count > 0 && state.received == length ? state.count - 1 : state.count
    }

    package func cancel() {
        let (source, waiter, wakes) = state.withLock {
            state -> (Source, CheckedContinuation<Void, Never>?, Bool) in
            state.isCancelled = true
            state.parts = []
            state.count = 0
            defer { state.source = .none }
            return (state.source, state.waiter.take(), state.wakes())
        }
        waiter?.resume()
        if wakes { onReady() }
        switch source {
        case .running(let task): task.cancel()
        // Releasing the reader closes the app's stream, which may block.
        case .reader(let sent?): run { withExtendedLifetime(sent) {} }
        case .reader(nil), .parts, .none: break
        }
    }
}

extension BodyPipe.State {
    fileprivate mutating func move(to buffer: UnsafeMutableRawBufferPointer, available: Int) -> Int {
        var moved = 0
        var emptied = 0
        let limit = min(buffer.count, available)
        while moved < limit, emptied < parts.count {
            let part = parts[emptied]
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[moved..<limit])
            let count = part.copyBytes(to: room)
            moved += count
            if count < part.count {
                parts[emptied] = part.dropFirst(count)
                break
            }
            emptied += 1
        }
        parts.removeFirst(emptied)
        count -= moved
        return moved
    }
}

extension BodyPipe {
    private func nextJob(_ state: inout State) -> (@Sendable () -> Void)? {
        guard state.end == nil, !state.isCancelled, case .reader(let sent) = state.source else { return nil }
        state.source = .none
        return { self.read(sent) }
    }

    private func read(_ sent: SentReader?) {
        do throws(ServiceError) {
            let reader: any BodyReader
            if let sent { reader = sent.reader } else { reader = try body.reader(length: length) }
            while let data = try reader.read(upTo: Self.readSize) {
                guard add(data, from: SentReader(reader: reader)) else { return }
            }
            finish(.complete([:]))
        } catch {
            finish(.failure(error))
        }
    }

    private func add(_ data: Data, from sent: SentReader) -> Bool {
        let (continues, wakes) = state.withLock { state in
            if state.isCancelled { return (false, false) }
            state.append(data)
            let wakes = available(state) > 0 && state.wakes()
            if state.count < Self.capacity { return (true, wakes) }
            state.source = .reader(sent)
            return (false, wakes)
        }
        if wakes { onReady() }
        return continues
    }

    private func finish(_ end: End) {
        let wakes = state.withLock { state in
            if state.end != nil || state.isCancelled { return false }
            state.end = end
            state.source = .none
            return state.wakes()
        }
        if wakes { onReady() }
    }
}

extension BodyPipe {
    private func start(_ run: @escaping BodyParts.Run) {
        let task = Task {
            do {
                let trailers = try await run { try await self.add($0) }
                self.finish(self.end(trailers))
            } catch {
                self.finish(.failure(self.failure(error)))
            }
        }
        let isCancelled = state.withLock { state in
            if state.end == nil, !state.isCancelled { state.source = .running(task) }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func end(_ trailers: Headers) -> End {
        let received = state.withLock { $0.received }
        if let length, received < length {
            let detail = "the body's parts ended after \(received) of \(length) bytes"
            return .failure(ServiceError.invalidRequest(detail))
        }
        if let problem = trailers.problem { return .failure(ServiceError.invalidRequest(problem)) }
        return .complete(trailers)
    }

    private func failure(_ error: any Error) -> ServiceError {
        (error as? ServiceError)
            ?? .invalidRequest("the body's parts failed with an error", underlying: error)
    }

    private func add(_ part: Data) async throws {
        let wakes = try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            if part.isEmpty { return false }
            if let length, state.received + Int64(part.count) > length {
                throw ServiceError.invalidRequest("the body's parts have more than \(length) bytes")
            }
            state.append(part)
            return available(state) > 0 && state.wakes()
        }
        if wakes { onReady() }
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.count < Self.capacity || state.isCancelled { return true }
                state.waiter = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }
}

extension BodyPipe.State {
    fileprivate mutating func append(_ data: Data) {
        parts.append(data)
        count += data.count
        received += Int64(data.count)
    }

    fileprivate mutating func wakes() -> Bool {
        defer { isAwaited = false }
        return isAwaited
    }
}
