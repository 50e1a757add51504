/// The state of one loop over an event source. Its release publishes `.ended` if the caller has left the loop early.
final class EventSourceLoop: Sendable {
    private let status: PublishedState<EventSource.State>
    private let hasEnded = Lock(false)

    init(_ status: PublishedState<EventSource.State>) {
        self.status = status
    }

    deinit { set(.ended) }

    func set(_ state: EventSource.State) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = state == .ended }
            return !hasEnded
        }
        if isFirst { status.publish(.init(state)) }
    }
}
