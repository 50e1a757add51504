import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cost that Swallow adds to a request over a real connection.
let loopback = Benchmark("loopback: GET of 2 KB, 8 at once") {
    let server = try ServerProcess()
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let queue = DispatchQueue(label: "loopback")
    let bare = Contender("URLSession, completion handler", operations: 2000) { operations in
        perform(operations, width: 8) { done in
            let request = URLRequest(url: .made(of: server.baseURLString + "/bytes/2048"))
            session.dataTask(with: request) { data, _, error in
                check(data, error)
                done()
            }
            .resume()
        }
    }
    let swallow = Contender("Swallow, response(queue)", operations: 2000, goal: .result(1.05, safe: 0.8)) {
        operations in
        get(operations, from: server, WebService.standardDataSource, on: queue)
    }
    let sameSession = Contender("Swallow over that URLSession", operations: 2000) { operations in
        get(operations, from: server, session, on: queue)
    }
    return [bare, swallow, sameSession]
}

private func get(
    _ operations: Int, from server: ServerProcess, _ dataSource: any SessionDataTaskDataSource,
    on queue: DispatchQueue
) {
    perform(operations, width: 8) { done in
        var service = WebService(baseURLString: server.baseURLString, dataSource: dataSource)
        service.unhandledError = { check(nil, $0) }
        service.GET("/bytes/2048").response(queue) { _, data in
            check(data, nil)
            done()
        }
    }
}

private func check(_ data: Data?, _ error: (any Error)?) {
    if data?.count == 2048 { return }
    fail("a request over loopback failed: \(error.map { "\($0)" } ?? "wrong body")")
}
