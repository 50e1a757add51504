import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Recording and replaying a stream")
struct StreamReplayTests {
    private let folder = Folder()
    private let clock = ManualClock()
    private let server = ByHand()

    /// Records a head after 1 s, body parts after 2 s and 4 s, and the completion after 5 s.
    private func record(_ end: (ByHand.Transfer) -> Void = { $0.end("!") }) async throws -> Stream {
        let stream = Stream(.to("http://h/a"), server.recording(to: folder.file))
        TransferContext.with(clock: clock) { stream.call.task.resume() }
        let transfer = try #require(server.transfers.values.first)
        clock.advance(by: .seconds(1))
        transfer.giveHead(200, ["Content-Type": "text/plain"])
        clock.advance(by: .seconds(1))
        transfer.give("hello ")
        clock.advance(by: .seconds(2))
        transfer.give("world")
        clock.advance(by: .seconds(1))
        end(transfer)
        _ = await stream.call.outcome
        return stream
    }

    private func replaying(atRecordedPace isPaced: Bool = false) throws -> ReplayingDataSource {
        ReplayingDataSource(try folder.har, atRecordedPace: isPaced)
    }

    @Test("A recording data source passes the body parts through, and records their times")
    func recorded() async throws {
        let stream = try await record()
        #expect(stream.parts.values == ["head 200", "hello ", "world"])
        #expect(await stream.call.outcome.text == "!")
        let entry = try #require(try folder.har.entries.first)
        #expect(entry.response.content.text == "hello world!")
        #expect(entry.duration == .seconds(5) && entry.timings.wait == 1000 && entry.timings.receive == 4000)
        #expect(entry.timings.dns == -1 && entry.timings.connect == -1)
    }

    @Test("A replayed stream has the recorded body parts and then completes")
    func parts() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying())
        stream.call.task.resume()
        #expect(await stream.call.outcome.text == "")
        #expect(stream.parts.values == ["head 200", "hello ", "world", "!"])
    }

    @Test("Without a receiver, the complete body is replayed inside resume()")
    func whole() async throws {
        _ = try await record()
        let call = Call(.to("http://h/a"), try replaying()).resumed()
        #expect(call.outcomes.map(\.text) == ["hello world!"])
    }

    @Test("At the recorded pace, each body part arrives at its recorded time")
    func paced() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        TransferContext.with(clock: clock) { stream.call.task.resume() }
        #expect(stream.parts.values == [])
        clock.advance(by: .seconds(1))
        #expect(stream.parts.values == ["head 200"])
        clock.advance(by: .seconds(2))
        #expect(stream.parts.values == ["head 200", "hello "])
        #expect(stream.call.task.transferProgress.received == 6)
        clock.advance(by: .milliseconds(900))
        #expect(stream.parts.values == ["head 200", "hello "])
        clock.advance(by: .milliseconds(100))
        #expect(stream.parts.values == ["head 200", "hello ", "world"])
        #expect(stream.call.answers == 0)
        clock.advance(by: .seconds(1))
        #expect(stream.parts.values.last == "!")
        #expect(stream.call.answers == 1)
    }

    @Test("A receiver that is set late receives the earlier body parts, and the others at their times")
    func late() async throws {
        _ = try await record()
        let call = Call(.to("http://h/a"), try replaying(atRecordedPace: true))
        TransferContext.with(clock: clock) { call.task.resume() }
        clock.advance(by: .seconds(3))
        let parts = Recorder<Int>()
        call.task.stream { part in if case .bytes(let data) = part { parts.append(data.count) } }
        #expect(await parts.first(1) == [6])
        clock.advance(by: .seconds(2))
        #expect(await call.outcome.text == "")
        #expect(parts.values == [6, 5, 1])
    }

    @Test("A suspended replay holds body parts and completion")
    func suspended() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        TransferContext.with(clock: clock) { stream.call.task.resume() }
        clock.advance(by: .seconds(1))
        stream.call.task.suspend()
        clock.advance(by: .seconds(9))
        #expect(stream.parts.values == ["head 200"])
        #expect(stream.call.answers == 0)
        stream.call.task.resume()
        _ = await stream.call.outcome
        #expect(stream.parts.values == ["head 200", "hello ", "world", "!"])
    }

    @Test("A cancelled replay completes immediately and leaves no scheduled work")
    func cancelled() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        TransferContext.with(clock: clock) { stream.call.task.resume() }
        clock.advance(by: .seconds(1))
        stream.call.task.cancel()
        #expect(stream.call.outcomes.map(\.isCancelled) == [true])
        #expect(clock.pending == 0)
    }

    @Test("A recorded failure is replayed after the body parts before it")
    func failing() async throws {
        _ = try await record { $0.end(with: .failure(URLError(.networkConnectionLost))) }
        let stream = Stream(.to("http://h/a"), try replaying())
        stream.call.task.resume()
        #expect(await stream.call.outcome.code == .networkConnectionLost)
        #expect(stream.parts.values == ["head 200", "hello ", "world"])
        let again = Call(.to("http://h/a"), try replaying()).resumed()
        #expect(again.outcomes.map(\.code) == [.networkConnectionLost])
    }

    @Test("A replay has the recorded metrics and trailers")
    func metrics() async throws {
        _ = try await record { transfer in
            transfer.fields.withLock { $0 = ["Checksum": "abc"] }
            transfer.metrics.withLock { $0 = .test }
            transfer.end()
        }
        let entry = try #require(try folder.har.entries.first)
        let timings = entry.timings
        #expect([timings.blocked, timings.dns, timings.connect, timings.ssl] == [-1, 10, 50, 30])
        #expect([timings.send, timings.wait, timings.receive] == [5, 35, 100])
        #expect(entry.duration == .milliseconds(200))
        #expect(entry["serverIPAddress"].string == "192.0.2.7")
        #expect(entry.response["httpVersion"].string == "HTTP/2")
        let call = Call(.to("http://h/a"), try replaying()).resumed()
        #expect(call.answers == 1)
        #expect(call.task.trailers == ["Checksum": "abc"])
        let metrics = try #require(call.task.transferMetrics)
        #expect(metrics.domainLookupEnd == TransferMetrics.test.domainLookupEnd)
        #expect(metrics.connectEnd == TransferMetrics.test.connectEnd)
        #expect(metrics.secureConnectionEnd == TransferMetrics.test.secureConnectionEnd)
        #expect(metrics.responseStart == TransferMetrics.test.responseStart)
        #expect(metrics.responseEnd == TransferMetrics.test.responseEnd)
        #expect(metrics.protocolName == "h2" && metrics.bytesReceived == 12)
    }

    @Test("suspend, resume and cancel are passed to the base data source while it is recorded")
    func control() async throws {
        let call = Call(.to("http://h/a"), server.recording(to: folder.file))
        call.task.suspend()
        #expect(server.transfers.values.isEmpty)
        call.task.resume()
        call.task.suspend()
        let transfer = try #require(server.transfers.values.first)
        call.task.resume()
        #expect(transfer.calls.values == ["resume", "suspend", "resume"])
        transfer.end("x")
        #expect(await call.outcome.text == "x")
        let other = Call(.to("http://h/a"), server.recording(to: folder.file)).resumed()
        other.task.cancel()
        #expect(other.outcomes.map(\.isCancelled) == [true])
        #expect(server.transfers.values.last?.calls.values == ["resume", "cancel"])
    }

    @Test("At the recorded pace, a service's timeout can pass")
    func service() async throws {
        _ = try await record()
        var service = WebService.test(try replaying(atRecordedPace: true), base: "http://h")
        service.clock = clock
        let task = service.GET("/a", options: [.timeout(.seconds(3))])
        clock.advance(by: .seconds(3))
        #expect(await task.result.failure?.reason == .timedOut)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension TransferMetrics {
    fileprivate static var test: TransferMetrics {
        var metrics = TransferMetrics(start: Date(timeIntervalSince1970: 1_893_456_000))
        metrics.domainLookupEnd = .milliseconds(10)
        metrics.connectEnd = .milliseconds(30)
        metrics.secureConnectionEnd = .milliseconds(60)
        metrics.requestEnd = .milliseconds(65)
        metrics.responseStart = .milliseconds(100)
        metrics.responseEnd = .milliseconds(200)
        metrics.bytesReceived = 12
        metrics.protocolName = "h2"
        metrics.remoteAddress = "192.0.2.7:443"
        return metrics
    }
}
