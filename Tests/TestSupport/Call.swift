import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that records its outcomes.
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

    /// Creates a call to `http://h/a`.
    package convenience init(_ source: any SessionDataTaskDataSource) {
        self.init(.to("http://h/a"), source)
    }

    /// The first outcome. Waits for it.
    package var outcome: Outcome {
        get async { await recorder.first(1).first ?? Outcome(data: nil, response: nil, error: nil) }
    }
    package var outcomes: [Outcome] { recorder.values }
    package var answers: Int { outcomes.count }
    /// The text of each outcome's data, or `nil` for an outcome without data.
    package var texts: [String?] { outcomes.map { $0.data == nil ? nil : $0.text } }

    package func resumed() -> Call {
        task.resume()
        return self
    }
}

extension URLRequest {
    package static func to(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) -> URLRequest {
        // An invalid URL creates a request that matches no expectation.
        var request = URLRequest(url: URL(string: url) ?? URL(filePath: "/"))
        change(&request)
        return request
    }
}
