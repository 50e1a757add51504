import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The partial file of a download that fails")
struct DownloadRemovalTests: Downloading {
    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    /// How a download fails.
    enum Failure: CaseIterable {
        case connectionLost, unacceptableStatus, timeout, cancelledAtOnce, cancelledLater, awaitCancelled
    }

    @Test("The file is deleted before the task completes", arguments: Failure.allCases)
    func deletion(failure: Failure) async throws {
        for _ in 0..<50 {
            let (source, clock) = (StreamingDataSource(), ManualClock())
            var service = WebService.test(source)
            service.clock = clock
            let seen = Recorder<[String]>()
            var options: [Request.Option] = [.download(to: target)]
            if failure == .timeout { options.append(.timeout(.seconds(10))) }
            let task = service.GET("/file", options: options)
            if failure != .awaitCancelled {
                task.responseCompleted(.utility) { [folder] _ in seen.append(folder.names) }
            }
            if failure == .cancelledAtOnce { task.cancel() } else { await send(from: source, failure) }
            switch failure {
            case .connectionLost, .unacceptableStatus, .cancelledAtOnce: break
            case .timeout:
                // While the sink is paused, for example until its file is open, the timeout starts again.
                while task.state != .completed {
                    clock.advance(by: .seconds(10))
                    await Task.yield()
                }
            case .cancelledLater: task.cancel()
            case .awaitCancelled:
                let waiting = Task { await task.result }
                waiting.cancel()
                #expect(await waiting.value.failure?.isCancelled == true)
                #expect(folder.names == [])
                continue
            }
            #expect(await task.result.failure != nil)
            #expect(folder.names == [])
            #expect(await seen.first(1) == [[]])
        }
    }

    private func send(from source: StreamingDataSource, _ failure: Failure) async {
        let exchange = await source.exchange
        exchange.head(failure == .unacceptableStatus ? 404 : 200)
        // The sink writes for a while, but isn't full, because a paused transfer doesn't time out.
        for _ in 0..<60 { exchange.send(Data(count: 4096)) }
        switch failure {
        case .connectionLost: exchange.end(error: URLError(.networkConnectionLost))
        case .unacceptableStatus: exchange.end()
        default: break
        }
        await exchange.delivered()
    }
}
