import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

package struct DataTaskResult: Sendable {
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

    package static func failure(_ error: any Error) -> DataTaskResult { DataTaskResult(nil, nil, error) }
}
