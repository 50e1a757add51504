import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Cancelling a URLSession's tasks")
struct URLSessionCancelTests {
    /// A port on which nothing listens.
    private func closedPort() throws -> String {
        let server = try LoopbackServer()
        defer { server.stop() }
        return server.baseURLString
    }

    static let sources: [any SessionDataTaskDataSource] = [
        URLSessionDataSource(), URLSession.shared, URLSession(configuration: .ephemeral),
    ]

    @Test(
        "Thousands of cancels that meet a refused connection end each task once", arguments: sources.indices)
    func cancelMeetsRefusal(source: Int) async throws {
        let service = WebService(baseURLString: try closedPort(), dataSource: Self.sources[source])
        for round in 0..<1500 {
            let endings = Recorder<ServiceError?>()
            for index in 0..<3 {
                let task = service.GET("/\(index)").responseCompleted(.utility) { result in
                    if case .failure(let error) = result {
                        endings.append(error)
                    } else {
                        endings.append(nil)
                    }
                }
                // Spread over the time in which the session finds the port closed.
                let delay = UInt64((index * 37 + round * 13) % 900) * 1000
                let start = DispatchTime.now().uptimeNanoseconds
                DispatchQueue.global().async {
                    while DispatchTime.now().uptimeNanoseconds - start < delay {}
                    task.cancel()
                }
            }
            for error in await endings.first(3) {
                let reason = try #require(error).reason
                #expect(reason == .cancelled || reason.isTransport)
            }
        }
    }
}

extension ServiceError.Reason {
    var isTransport: Bool {
        if case .transport = self { true } else { false }
    }
}
