import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Buffers a body until it is read, and pauses the data source while the buffer is full.
final class BodyBuffer: BodySink {
    /// The data source pauses at this many unread bytes, and goes on at a quarter of them.
    static let capacity = 256 * 1024

    typealias Part = Result<Data?, ServiceError>

    fileprivate struct State: Sendable {
        var parts = Backlog<Data>(high: BodyBuffer.capacity, low: BodyBuffer.capacity / 4)
        /// Set when the body has ended or failed.
        var ending: Ending?
        var reader: CheckedContinuation<Part, Never>?
        var flow: BodyFlow?
        var wasRead = false
        /// Whether the reader has asked for a part. Until then the data source pauses after the head.
        var isAskedFor = false

        var isHeld: Bool { !isAskedFor || parts.isFull }
    }

    fileprivate enum Ending: Sendable {
        case finished, failed(ServiceError)
    }

    private let state: Lock<State>
    /// Header fields to add to the request.
    private let fields: [String: String]

    init(adding fields: [String: String] = [:]) {
        self.fields = fields
        state = Lock(State())
    }

    /// Makes a buffer whose reader gets this error.
    init(failed error: ServiceError) {
        fields = [:]
        state = Lock(State(ending: .failed(error)))
    }

    /// Whether the body has ended or failed.
    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// The error that the body has failed with, until the reader gets it.
    var error: ServiceError? {
        state.withLock { state in
            if case .failed(let error)? = state.ending { error } else { nil }
        }
    }
}

// MARK: - Receiving

extension BodyBuffer {
    func prepare(_ request: inout URLRequest) {
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    }

    func begin(_ head: HTTPURLResponse, _ flow: BodyFlow) {
        state.withLock { $0.flow = flow }
        adjust()
    }

    func receive(_ bytes: Data) {
        let (reader, isFull) = state.withLock { state -> (CheckedContinuation<Part, Never>?, Bool) in
            if state.ending != nil { return (nil, false) }
            if let reader = state.reader.take() { return (reader, false) }
            return (nil, state.parts.add(bytes))
        }
        reader?.resume(returning: .success(bytes))
        if isFull { adjust() }
    }

    func finish(_ completion: @escaping @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void) {
        // First, so that the task has ended by the time the reader sees the end.
        completion(.success(Entity(content: Data())))
        end(.finished)
    }

    func fail(_ error: ServiceError) { end(.failed(error)) }

    private func end(_ ending: Ending) {
        let reader = state.withLock { state -> CheckedContinuation<Part, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            if case .failed(let error) = ending, error.isCancelled { state.parts.removeAll() }
            // A waiting reader gets the error now, and the end if it reads on.
            if state.reader != nil { state.ending = .finished }
            return state.reader.take()
        }
        guard let reader else { return }
        switch ending {
        case .finished: reader.resume(returning: .success(nil))
        case .failed(let error): reader.resume(returning: .failure(error))
        }
    }

    /// Pauses the data source while the buffer is full, else lets it go on.
    private func adjust() {
        state.withLock { $0.flow }?.update { state.withLock { $0.isHeld } }
    }
}

// MARK: - Reading

extension BodyBuffer {
    /// The next part or the end, without waiting; nil if neither is here yet.
    func takeNow() -> Part? {
        take { _ in nil }
    }

    /// The next part, as soon as it is here; nil after the last.
    func next() async -> Part {
        await withCheckedContinuation { continuation in
            let part = take { state in
                if state.reader != nil { return .failure(.simultaneousReads) }
                state.reader = continuation
                return nil
            }
            if let part { continuation.resume(returning: part) }
        }
    }

    /// Takes the next part, or else calls `fallBack` under the lock. Lets the data source go on once there is room.
    private func take(orElse fallBack: (inout State) -> Part?) -> Part? {
        let (part, mayGoOn) = state.withLock { state in
            let wasHeld = state.isHeld
            state.isAskedFor = true
            let part = state.takePart() ?? fallBack(&state)
            return (part, wasHeld && !state.isHeld)
        }
        if mayGoOn { adjust() }
        return part
    }

    /// Marks the body as read; false if it was before.
    func startReading() -> Bool {
        state.withLock { state in
            defer { state.wasRead = true }
            return !state.wasRead
        }
    }
}

extension BodyBuffer.State {
    fileprivate mutating func takePart() -> BodyBuffer.Part? {
        if let part = parts.take() { return .success(part) }
        switch ending {
        case nil: return nil
        case .finished?: return .success(nil)
        case .failed(let error)?:
            // A reader that goes on after an error gets the end.
            ending = .finished
            return .failure(error)
        }
    }
}

extension ServiceError {
    fileprivate static var simultaneousReads: ServiceError {
        ServiceError(.invalidRequest, detail: "the body is read from two places at once")
    }
}
