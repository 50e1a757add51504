import Foundation

struct StoredResponse: Sendable {
    let stage: Int
    let cached: CachedResponse
    let isConfirmed: Bool
    let state: StoredState
    let freshness: Freshness

    init(
        _ cached: CachedResponse, stage: Int, at now: Date, isConfirmed: Bool = false,
        isAcceptable: (Int) -> Bool = { _ in true }
    ) {
        self.stage = stage
        self.cached = cached
        self.isConfirmed = isConfirmed
        var state = cached.state(at: now)
        state.isFailure = !isAcceptable(state.status)
        self.state = state
        freshness = state.freshness
    }

    var response: ReceivedResponse {
        received(isConfirmed ? cached.head : aged, cached.data, isConfirmed ? .revalidated : .cache)
    }

    /// A 304 for a caller whose conditional request shows that it already has the response.
    var notModified: ReceivedResponse {
        received(ResponseHead(cached.response.aged(freshness.age, status: 304)), Data(), .cache)
    }

    private func received(_ head: ResponseHead, _ data: Data, _ origin: EntityOrigin) -> ReceivedResponse {
        ReceivedResponse(
            head: head, data: data, timestamp: cached.timestamp, origin: origin,
            freshness: freshness)
    }

    /// The head with an `Age` field (RFC 9111 §4), which is added when the head is first read.
    private var aged: ResponseHead {
        ResponseHead(statusCode: cached.head.statusCode) { [head = cached.head] in
            head.contentType
        } making: { [head = cached.head, age = freshness.age] in
            head.response.aged(age)
        }
    }
}

extension HTTPURLResponse {
    fileprivate func aged(_ age: Duration, status: Int? = nil) -> HTTPURLResponse {
        var headers = Headers(self)
        headers["Age"] = "\(age.components.seconds)"
        return with(headers, status: status)
    }
}
