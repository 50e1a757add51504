import Foundation

struct ReceivedResponse: Sendable {
    private let lazyHead: ResponseHead
    let data: Data
    let timestamp: Date
    let origin: EntityOrigin
    private let freshness: Freshness?

    init(
        head: ResponseHead, data: Data, timestamp: Date, origin: EntityOrigin = .network,
        freshness: Freshness? = nil
    ) {
        lazyHead = head
        self.data = data
        self.timestamp = timestamp
        self.origin = origin
        self.freshness = freshness
    }

    var head: HTTPURLResponse { lazyHead.response }

    static func isSmall(_ body: Data) -> Bool { body.count <= 64 * 1024 }

    var entity: Entity<any Sendable> {
        Entity(content: data, head: lazyHead, timestamp: timestamp, origin: origin, freshness: freshness)
    }
}
