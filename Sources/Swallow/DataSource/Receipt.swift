import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a data source holds of whoever sent it a request: while it may still answer, that lives. A data source that
/// lets go of it without calling the completion ends the request with nothing.
final class Receipt<Sender: RequestSender>: Sendable {
    private let sender: Sender

    init(_ sender: Sender) {
        self.sender = sender
    }

    deinit {
        sender.receive(Ending(nil, nil, nil))
    }

    func callAsFunction(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        sender.receive(Ending(data, response, error))
    }
}

/// Whoever sends a request to a data source.
protocol RequestSender: Sendable {
    /// Takes what the request ended with; called once or more often, of which only the first time counts.
    func receive(_ ending: Ending)
}
