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
        var parts: [Data] = []
        var firstPart = 0
        var byteCount = 0
        /// Set once there will be no more.
        var ending: Ending?
        var reader: CheckedContinuation<Part, Never>?
        var flow: BodyFlow?
        /// Until it is read, the body must not go on after its head.
        var isHeld = true
        var wasRead = false
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
        let isHeld = state.withLock { state in
            state.flow = flow
            return state.isHeld
        }
        if isHeld { adjust() }
    }

    func receive(_ bytes: Data) {
        let (reader, isFull) = state.withLock { state -> (CheckedContinuation<Part, Never>?, Bool) in
            if state.ending != nil { return (nil, false) }
            if let reader = state.reader.take() { return (reader, false) }
            state.parts.append(bytes)
            state.byteCount += bytes.count
            guard !state.isHeld, state.byteCount >= Self.capacity else { return (nil, false) }
            state.isHeld = true
            return (nil, true)
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
            if case .failed(let error) = ending, error.isCancelled { state.dropParts() }
            return state.reader.take()
        }
        guard let reader else { return }
        switch ending {
        case .finished: reader.resume(returning: .success(nil))
        case .failed(let error): reader.resume(returning: .failure(error))
        }
    }

    /// Tells the data source what is wanted of it now. Several threads may be here: the last to look is right.
    private func adjust() {
        while true {
            let (flow, isHeld) = state.withLock { ($0.flow, $0.isHeld) }
            guard let flow else { return }
            if isHeld { flow.hold() } else { flow.release() }
            if state.withLock({ $0.isHeld == isHeld }) { return }
        }
    }
}

// MARK: - What is read

extension BodyBuffer {
    /// What is there to be read at once; nil if that is nothing yet.
    func takeNow() -> Part? {
        let (part, mayGoOn) = state.withLock { state in
            let part = state.takePart()
            return (part, state.mayGoOn())
        }
        if mayGoOn { adjust() }
        return part
    }

    /// The next part, as soon as it is here; nil after the last.
    func next() async -> Part {
        await withCheckedContinuation { continuation in
            let (part, mayGoOn) = state.withLock { state -> (Part?, Bool) in
                if let part = state.takePart() { return (part, state.mayGoOn()) }
                if state.reader != nil { return (.failure(.simultaneousReads), false) }
                state.reader = continuation
                return (nil, state.mayGoOn())
            }
            if mayGoOn { adjust() }
            if let part { continuation.resume(returning: part) }
        }
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
        if firstPart < parts.count {
            let part = parts[firstPart]
            parts[firstPart] = Data()
            firstPart += 1
            byteCount -= part.count
            if firstPart > parts.count / 2 {
                parts.removeFirst(firstPart)
                firstPart = 0
            }
            return .success(part)
        }
        switch ending {
        case nil: return nil
        case .finished?: return .success(nil)
        case .failed(let error)?:
            // A reader that goes on after an error gets the end.
            ending = .finished
            return .failure(error)
        }
    }

    /// Whether the data source was held back, and needn't be any more.
    fileprivate mutating func mayGoOn() -> Bool {
        guard isHeld, byteCount <= BodyBuffer.capacity / 4 else { return false }
        isHeld = false
        return true
    }

    fileprivate mutating func dropParts() {
        parts.removeAll(keepingCapacity: true)
        (firstPart, byteCount) = (0, 0)
    }
}

extension ServiceError {
    fileprivate static var simultaneousReads: ServiceError {
        ServiceError(.invalidRequest, detail: "the body is read from two places at once")
    }
}
