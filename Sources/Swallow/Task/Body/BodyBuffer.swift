import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps what has come of a body until it is read, and holds the data source back once that is much.
final class BodyBuffer: BodySink {
    /// How many bytes may wait: then the data source is held back, and it goes on when a quarter is left.
    static let capacity = 256 * 1024

    typealias Part = Result<Data?, ServiceError>

    fileprivate struct State: Sendable {
        var parts = Backlog<Data>(high: BodyBuffer.capacity, low: BodyBuffer.capacity / 4)
        /// Set once there will be no more.
        var ending: Ending?
        var reader: CheckedContinuation<Part, Never>?
        var flow: BodyFlow?
        var wasRead = false
        /// Until a part is asked for, the body must not go on after its head.
        var isAskedFor = false

        var isHeld: Bool { !isAskedFor || parts.isFull }
    }

    fileprivate enum Ending: Sendable {
        case finished, failed(ServiceError)
    }

    private let state: Lock<State>
    /// What is added to the request's header.
    private let fields: [String: String]

    init(adding fields: [String: String] = [:]) {
        self.fields = fields
        state = Lock(State())
    }

    /// One that gives nothing but an error.
    init(failed error: ServiceError) {
        fields = [:]
        state = Lock(State(ending: .failed(error)))
    }

    /// Whether nothing more comes.
    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// What it failed with before anything came.
    var error: ServiceError? {
        state.withLock { state in
            if case .failed(let error)? = state.ending { error } else { nil }
        }
    }
}

// MARK: - What comes

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
        // First, so that the task has ended where the reader sees the end.
        completion(.success(Entity(content: Data())))
        end(.finished)
    }

    func fail(_ error: ServiceError) { end(.failed(error)) }

    private func end(_ ending: Ending) {
        let reader = state.withLock { state -> CheckedContinuation<Part, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            if case .failed(let error) = ending, error.isCancelled { state.parts.removeAll() }
            return state.reader.take()
        }
        guard let reader else { return }
        switch ending {
        case .finished: reader.resume(returning: .success(nil))
        case .failed(let error): reader.resume(returning: .failure(error))
        }
    }

    /// Tells the data source what is wanted of it.
    private func adjust() {
        state.withLock { $0.flow }?.update { state.withLock { $0.isHeld } }
    }
}

// MARK: - What is read

extension BodyBuffer {
    /// What is there to be read at once; nil if that is nothing yet.
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

    /// Takes what is there, or does something else under the lock; then the data source may go on.
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

    /// Notes that the body is being read, which is done once.
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
