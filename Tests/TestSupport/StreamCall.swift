import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that streams. It records its receiver's calls, its completion, and violations of the contract of
/// `DataTask`.
package final class StreamCall: Sendable {
    private struct State: Sendable {
        var isReceiving = false
        var problems: [String] = []
        var head: HTTPURLResponse?
        var body = Data()
        var partCount = 0
        var result: Call.Outcome?
        var onPart: (@Sendable (ResponsePart) -> Void)?
    }

    package let task: any DataTask
    private let state: Lock<State>
    private let recorder = Recorder<Call.Outcome>()
    /// The number of body bytes received so far, recorded after each part. It is 0 after the head.
    package let progress = Recorder<Int>()

    /// - Parameter onPart: Called in each call of the receiver.
    package init(
        _ request: URLRequest, _ source: any SessionDataTaskDataSource,
        onPart: (@Sendable (ResponsePart) -> Void)? = nil
    ) {
        let state = Lock(State(onPart: onPart))
        self.state = state
        task = source.dataTask(with: request) { [recorder] data, response, error in
            let outcome = Call.Outcome(data: data, response: response as? HTTPURLResponse, error: error)
            state.withLock { state in
                if state.isReceiving { state.problems.append("the completion came within a call") }
                if state.result != nil { state.problems.append("the completion came twice") }
                state.result = state.result ?? outcome
                state.onPart = nil
            }
            recorder.append(outcome)
        }
    }

    @discardableResult
    package func streaming() -> StreamCall {
        task.stream { self.receive($0) }
        return self
    }

    package func resumed() -> StreamCall {
        task.resume()
        return self
    }

    private func receive(_ part: ResponsePart) {
        let onPart = state.withLock { state in
            if state.isReceiving { state.problems.append("calls overlap") }
            if state.result != nil { state.problems.append("a part came after the completion") }
            state.isReceiving = true
            state.partCount += 1
            switch part {
            case .head(let head):
                if state.partCount > 1 { state.problems.append("a head is no first part") }
                state.head = head
            case .bytes(let bytes):
                if state.head == nil { state.problems.append("bytes came before the head") }
                if bytes.isEmpty { state.problems.append("a part is empty") }
                state.body += bytes
            }
            return state.onPart
        }
        onPart?(part)
        let count = state.withLock { state in
            state.isReceiving = false
            return state.body.count
        }
        progress.append(count)
    }

    package var problems: [String] { state.withLock { $0.problems } }
    package var hasEnded: Bool { state.withLock { $0.result != nil } }
    package var head: HTTPURLResponse? { state.withLock { $0.head } }
    package var partCount: Int { state.withLock { $0.partCount } }
    package var streamed: Data { state.withLock { $0.body } }

    /// The outcome. Waits for it.
    package var outcome: Call.Outcome { get async { await recorder.first(1)[0] } }

    /// The bytes of the body parts and of the completion. Waits for the completion.
    package var body: Data {
        get async {
            let rest = await outcome.data ?? Data()
            return streamed + rest
        }
    }
}
