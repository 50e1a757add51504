import Foundation
import Swallow
import TestSupport
import SwallowTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One raw data task of a stub, and what its completion got.
final class Exchange: Sendable {
    struct Answer: Sendable {
        let data: Data?
        let response: HTTPURLResponse?
        let error: (any Error)?

        var status: Int? { response?.statusCode }
        var text: String { String(decoding: data ?? Data(), as: UTF8.self) }
        var isCancelled: Bool {
            (error as? URLError)?.code == .cancelled && data == nil && response == nil
        }
    }

    let task: any DataTask
    private let recorder: Recorder<Answer>

    init(_ stub: StubDataSource, _ request: URLRequest) {
        let recorder = Recorder<Answer>()
        self.recorder = recorder
        task = stub.dataTask(with: request) { data, response, error in
            recorder.append(Answer(data: data, response: response as? HTTPURLResponse, error: error))
        }
    }

    var answers: [Answer] { recorder.values }

    /// The first answer; waits until there is one.
    var answer: Answer {
        get async { await recorder.first(1)[0] }
    }
}

extension URLRequest {
    static func test(
        _ method: Request.Method = .GET, _ path: Request.Path = "/stores", options: [Request.Option] = []
    ) throws -> URLRequest {
        try Request(method, baseURLString: "http://service.test", path: path, options: options).urlRequest()
    }
}

extension WebService {
    /// A service over a stub; failures that nobody receives are ignored.
    static func test(_ stub: StubDataSource, base: String = "http://service.test") -> WebService {
        var service = WebService(baseURLString: base, dataSource: stub)
        service.unhandledError = nil
        return service
    }
}

/// The error that an operation on a service ends in.
func failure<Value>(_ operation: () async throws(ServiceError) -> Value) async -> ServiceError? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}

/// An error of the app's own.
struct AppError: Error, Equatable {
    var code = 1
}
