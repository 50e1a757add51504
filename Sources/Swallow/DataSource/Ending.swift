import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The result of a data task: a body and a response, or an error.
package struct Ending: Sendable {
    private enum Answer: Sendable {
        case http(ResponseHead)
        case other(URLResponse?)

        init(_ response: URLResponse?) {
            self = (response as? HTTPURLResponse).map { .http(ResponseHead($0)) } ?? .other(response)
        }
    }

    package var data: Data?
    private var answer: Answer
    package var error: (any Error)?

    package init(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        self.data = data
        answer = Answer(response)
        self.error = error
    }

    init(_ data: Data?, _ head: ResponseHead) {
        self.data = data
        answer = .http(head)
    }

    package var response: URLResponse? {
        get {
            switch answer {
            case .http(let head): head.response
            case .other(let response): response
            }
        }
        set { answer = Answer(newValue) }
    }

    var head: ResponseHead? { if case .http(let head) = answer { head } else { nil } }

    package static func failure(_ error: any Error) -> Ending { Ending(nil, nil, error) }
}

package protocol EndingReceiver: Sendable {
    /// May be called more than once. Only the first call counts.
    func receive(_ ending: Ending)
}

/// Belongs to a data task's completion. If the data source releases the completion without calling it, the receiver
/// receives an empty ending.
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
