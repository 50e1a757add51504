import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The tests run one after the other. On Linux, libdispatch can crash when many sessions open and close
// sockets at the same time (swift-corelibs-libdispatch issues 833 and 949, in
// `_dispatch_unote_register_muxed` or `_dispatch_source_refs_finalize_unregistration`). It crashes more often
// the more tasks are cancelled, so there are only these tests.
@Suite("Cancelling a URLSession's tasks", .serialized)
struct URLSessionCancelTests {
    static let sources: [any SessionDataTaskDataSource] = [
        URLSessionDataSource(), URLSession.shared, URLSession(configuration: .ephemeral),
    ]

    @Test(
        "Hundreds of tasks that are cancelled while their connection is refused complete once",
        arguments: sources.indices)
    func cancelMeetsRefusal(source: Int) async throws {
        let port = try ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let service = WebService(baseURLString: port.baseURLString, dataSource: Self.sources[source])
        for round in 0..<Sanitizer.rounds(100, sanitized: 50) {
            let completions = Recorder<ServiceError?>()
            for index in 0..<3 {
                let task = service.GET("/\(index)").responseCompleted(.utility) { result in
                    if case .failure(let error) = result {
                        completions.append(error)
                    } else {
                        completions.append(nil)
                    }
                }
                // The delays cover the time in which the session finds out that the port is closed.
                let delay = UInt64((index * 37 + round * 13) % 900) * 1000
                let start = DispatchTime.now().uptimeNanoseconds
                DispatchQueue.global().async {
                    while DispatchTime.now().uptimeNanoseconds - start < delay {}
                    task.cancel()
                }
            }
            for error in await completions.first(3) {
                let reason = try #require(error).reason
                #expect(reason == .cancelled || reason.isTransport)
            }
        }
    }

    /// Sends many requests one after another, and disturbs each one at a different time.
    private func disturb(
        _ source: Int, path: Request.Path, over microseconds: UInt64,
        _ disturbance: @escaping @Sendable (ServiceTask) -> Void, check: (ServiceError?) -> Bool
    ) async throws {
        let server = try LoopbackServer(recordsRequests: false)
        let service = WebService(baseURLString: server.baseURLString, dataSource: Self.sources[source])
        for index in 0..<Sanitizer.rounds(120, sanitized: 60) {
            let task = service.GET(path)
            let delay = UInt64(index) * 7919 % microseconds * 1000
            let start = DispatchTime.now().uptimeNanoseconds
            DispatchQueue.global().async {
                while DispatchTime.now().uptimeNanoseconds - start < delay {}
                disturbance(task)
            }
            #expect(check(await task.result.failure))
        }
    }

    @Test("A task that is cancelled during a redirect completes once", arguments: sources.indices)
    func cancelMeetsRedirect(source: Int) async throws {
        try await disturb(source, path: "/redirect/1", over: 1500) { task in
            task.cancel()
        } check: { error in
            error == nil || error?.isCancelled == true
        }
    }

    @Test("A task that is suspended while its transfer completes loses nothing", arguments: sources.indices)
    func suspendMeetsTheEnd(source: Int) async throws {
        try await disturb(source, path: "/json", over: 1000) { task in
            task.suspend()
            task.resume()
        } check: { error in
            error == nil
        }
    }

    @Test("A suspended task completes after it is resumed, and can be cancelled", arguments: sources.indices)
    func suspended(source: Int) async throws {
        let server = try LoopbackServer()
        let service = WebService(baseURLString: server.baseURLString, dataSource: Self.sources[source])
        var task: ServiceTask
        // On a busy machine, a task may complete before it is suspended.
        repeat {
            task = service.GET("/redirect/2")
            task.suspend()
            task.resume()
            task.suspend()
        } while task.state == .completed
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.json["path"] == "/echo")

        let cancelled = service.GET("/fault/stall", options: [.timeout(.century)])
        cancelled.suspend()
        cancelled.cancel()
        #expect(await cancelled.result.failure?.isCancelled == true)
    }
}

extension ServiceError.Reason {
    var isTransport: Bool {
        if case .transport = self { true } else { false }
    }
}
