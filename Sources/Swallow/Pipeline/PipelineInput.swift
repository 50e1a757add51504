import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response as received.
struct ReceivedResponse: Sendable {
    private let lazyHead: ResponseHead
    let data: Data
    /// When it came, or was last confirmed.
    let timestamp: Date
    let origin: EntityOrigin
    private let freshness: UsedFreshness?

    init(
        head: ResponseHead, data: Data, timestamp: Date, origin: EntityOrigin = .network,
        freshness: UsedFreshness? = nil
    ) {
        lazyHead = head
        self.data = data
        self.timestamp = timestamp
        self.origin = origin
        self.freshness = freshness
    }

    var head: HTTPURLResponse { lazyHead.response }

    /// Whether parsing and decoding a body takes no longer than a millisecond or so.
    static func isSmall(_ body: Data) -> Bool { body.count <= 64 * 1024 }

    /// The body with the head's fields.
    var entity: Entity<any Sendable> {
        Entity(content: data, head: lazyHead, timestamp: timestamp, origin: origin, freshness: freshness)
    }
}

/// The input of the stages: a response, a failure, or a failure with the response that it is about.
struct PipelineInput: Sendable {
    let response: ReceivedResponse?
    let error: ServiceError?

    init(_ response: ReceivedResponse, error: ServiceError? = nil) {
        self.response = response
        self.error = error
    }

    init(error: ServiceError) {
        response = nil
        self.error = error
    }

    private init(_ response: ReceivedResponse?, _ error: ServiceError) {
        self.response = response
        self.error = error
    }

    /// The same, with a failure that says how many attempts there were.
    func after(_ attempts: Int) -> PipelineInput {
        guard attempts > 1, let error else { return self }
        return PipelineInput(response, error.after(attempts))
    }
}
