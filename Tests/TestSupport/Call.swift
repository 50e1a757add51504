import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One data task, and how often and in what it ended.
package final class Call: Sendable {
    package struct Outcome: Sendable {
        package let data: Data?
        package let response: HTTPURLResponse?
        package let error: (any Error)?

        package init(data: Data?, response: HTTPURLResponse?, error: (any Error)?) {
            (self.data, self.response, self.error) = (data, response, error)
        }

        package var status: Int? { response?.statusCode }
        package var code: URLError.Code? { (error as? URLError)?.code }
        package var isCancelled: Bool { code == .cancelled && data == nil && response == nil }
        package var json: JSON { data.flatMap { try? JSON(parsing: $0) } ?? JSON.null }
        package var text: String { String(decoding: data ?? Data(), as: UTF8.self) }
    }

    package let task: any DataTask
    package let recorder: Recorder<Outcome>

    package init(_ request: URLRequest, _ source: any SessionDataTaskDataSource) {
        let recorder = Recorder<Outcome>()
        self.recorder = recorder
        task = source.dataTask(with: request) { data, response, error in
            recorder.append(Outcome(data: data, response: response as? HTTPURLResponse, error: error))
        }
    }

    /// One for `http://h/a`.
    package convenience init(_ source: any SessionDataTaskDataSource) {
        self.init(.to("http://h/a"), source)
    }

    /// How it ended; waits until it has.
    package var outcome: Outcome {
        get async { await recorder.first(1).first ?? Outcome(data: nil, response: nil, error: nil) }
    }
    package var outcomes: [Outcome] { recorder.values }
    package var answers: Int { outcomes.count }
    /// What each answer's data says, nil for one without.
    package var texts: [String?] { outcomes.map { $0.data == nil ? nil : $0.text } }

    package func resumed() -> Call {
        task.resume()
        return self
    }
}

extension URLRequest {
    /// A request to a URL, changed by a closure.
    package static func to(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) -> URLRequest {
        // An impossible URL makes a request that matches no expectation.
        var request = URLRequest(url: URL(string: url) ?? URL(filePath: "/"))
        change(&request)
        return request
    }
}
