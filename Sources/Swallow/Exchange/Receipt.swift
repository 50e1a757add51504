import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes the end of a request.
package protocol EndingReceiver: Sendable {
    /// May be called more than once; only the first call counts.
    func receive(_ ending: Ending)
}

/// Held by a data task's completion. It keeps the receiver alive while the data source may still answer, and ends the request
/// if the data source drops the completion without calling it.
package final class Receipt<Receiver: EndingReceiver>: Sendable {
    private let receiver: Receiver

    package init(_ receiver: Receiver) {
        self.receiver = receiver
    }

    deinit {
        receiver.receive(Ending(nil, nil, nil))
    }

    package func callAsFunction(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        receiver.receive(Ending(data, response, error))
    }
}
