import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes what a request ended with.
package protocol EndingReceiver: Sendable {
    /// Called once or more often, of which only the first time counts.
    func receive(_ ending: Ending)
}

/// What the completion of a data task holds of the receiver of its end: while the data source may still answer, that lives.
/// A data source that lets go of it without calling the completion ends the request with nothing.
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
