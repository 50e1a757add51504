import Foundation
import Swallow

struct RequestLog: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let log: @Sendable (String) -> Void

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        log("\(request.httpMethod ?? "GET") \(request.url?.absoluteString ?? "")")
        return base.dataTask(with: request, completion: completion)
    }
}
