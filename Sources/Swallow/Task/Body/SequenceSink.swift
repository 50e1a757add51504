import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sink of a ``ResponseBody``, in which body parts wait for a loop.
final class SequenceSink: BodySink {
    /// A body part, `nil` at the end of the body, or the error with which the task failed.
    typealias Element = Result<Data?, ServiceError>

    private struct State: Sendable {
        /// Pauses after the head, until the reader asks for the first body part.
        var queue = BodyPartQueue<Element>(flow: .pause)
        var isComplete = false
        var reader: CheckedContinuation<Element, Never>?
        var owner: SinkOwner?
        var wasRead = false
    }

    private let state = Lock(State())
    private let fields: [String: String]

    init(adding fields: [String: String] = [:]) {
        self.fields = fields
    }

    var isComplete: Bool { state.withLock { $0.isComplete } }
}

// MARK: - Receiving

extension SequenceSink {
    func prepare(_ request: inout URLRequest) {
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    }

    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) {
        state.withLock { $0.owner = owner }
    }

    var flow: Flow { state.withLock { $0.queue.flow } }

    func receive(_ bodyPart: Data) -> Flow {
        let (reader, flow) = state.withLock { state -> (CheckedContinuation<Element, Never>?, Flow) in
            if state.isComplete { return (nil, .more) }
            if let reader = state.reader.take() { return (reader, state.queue.flow) }
            return (nil, state.queue.add(.success(bodyPart), byteCount: bodyPart.count))
        }
        reader?.resume(returning: .success(bodyPart))
        return flow
    }

    func complete(_ completion: @escaping Completion) {
        // First, so that the task is complete when the reader receives the end.
        completion(.success(Entity(content: Data())))
        end(with: .success(nil))
    }

    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void) {
        end(with: .failure(error), droppingBodyParts: error.isCancelled)
        completion()
    }

    private func end(with element: Element, droppingBodyParts: Bool = false) {
        let reader = state.withLock { state -> CheckedContinuation<Element, Never>? in
            if state.isComplete { return nil }
            state.isComplete = true
            if droppingBodyParts { _ = state.queue.removeAll() }
            if state.reader == nil { state.queue.add(element) }
            return state.reader.take()
        }
        reader?.resume(returning: element)
    }
}

// MARK: - Reading

extension SequenceSink {
    func takeNext() -> Element? {
        take { _ in nil }
    }

    /// After the end and after an error, returns the end.
    func next() async -> Element {
        await withCheckedContinuation { continuation in
            let element = take { state in
                if state.reader != nil { return .failure(.simultaneousReads) }
                state.reader = continuation
                return nil
            }
            if let element { continuation.resume(returning: element) }
        }
    }

    /// Calls `wait` under the lock if no element has arrived.
    private func take(orElse wait: (inout State) -> Element?) -> Element? {
        let (element, owner) = state.withLock { state in
            let (element, hasRoom) = state.queue.take()
            let owner = hasRoom ? state.owner : nil
            return (element ?? (state.isComplete ? .success(nil) : wait(&state)), owner)
        }
        owner?.sinkHasRoom()
        return element
    }

    /// Returns `false` if a loop has read the body before.
    func startReading() -> Bool {
        state.withLock { state in
            defer { state.wasRead = true }
            return !state.wasRead
        }
    }
}

extension ServiceError {
    fileprivate static var simultaneousReads: ServiceError {
        ServiceError(.invalidRequest, detail: "the body is read by two Swift tasks at the same time")
    }
}
