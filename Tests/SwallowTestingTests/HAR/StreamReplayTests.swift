import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A recorded stream, in time")
struct StreamReplayTests {
    private let folder = Folder()
    private let clock = ManualClock()
    private let server = ByHand()

    /// Records a head after 1 s, parts after 2 s and 4 s, and an end after 5 s.
    private func record(_ end: (ByHand.Transfer) -> Void = { $0.end("!") }) async throws -> Stream {
        let stream = Stream(.to("http://h/a"), server.recording(to: folder.file))
        SenderTerms.with(clock: clock) { stream.call.task.resume() }
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

    @Test("passes through the recorder part by part")
    func recorded() async throws {
        let stream = try await record()
        #expect(stream.parts.values == ["head 200", "hello ", "world"])
        #expect(await stream.call.outcome.text == "!")
        let entry = try #require(try folder.har.entries.first)
        #expect(entry.response.content.text == "hello world!")
        #expect(entry.duration == .seconds(5) && entry.timings.wait == 1000 && entry.timings.receive == 4000)
        #expect(entry.timings.dns == -1 && entry.timings.connect == -1)
    }

    @Test("comes in the same parts, and then ends")
    func parts() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying())
        stream.call.task.resume()
        #expect(await stream.call.outcome.text == "")
        #expect(stream.parts.values == ["head 200", "hello ", "world", "!"])
    }

    @Test("comes whole for who takes no parts, inside resume()")
    func whole() async throws {
        _ = try await record()
        let call = Call(.to("http://h/a"), try replaying()).resumed()
        #expect(call.outcomes.map(\.text) == ["hello world!"])
    }

    @Test("takes as long as it took, on the clock")
    func paced() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        SenderTerms.with(clock: clock) { stream.call.task.resume() }
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

    @Test("gives who comes late what had arrived, and the rest in its time")
    func late() async throws {
        _ = try await record()
        let call = Call(.to("http://h/a"), try replaying(atRecordedPace: true))
        SenderTerms.with(clock: clock) { call.task.resume() }
        clock.advance(by: .seconds(3))
        let parts = Recorder<Int>()
        call.task.stream { part in if case .bytes(let data) = part { parts.append(data.count) } }
        #expect(await parts.first(1) == [6])
        clock.advance(by: .seconds(2))
        #expect(await call.outcome.text == "")
        #expect(parts.values == [6, 5, 1])
    }

    @Test("holds parts and end back while it is suspended")
    func suspended() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        SenderTerms.with(clock: clock) { stream.call.task.resume() }
        clock.advance(by: .seconds(1))
        stream.call.task.suspend()
        clock.advance(by: .seconds(9))
        #expect(stream.parts.values == ["head 200"])
        #expect(stream.call.answers == 0)
        stream.call.task.resume()
        _ = await stream.call.outcome
        #expect(stream.parts.values == ["head 200", "hello ", "world", "!"])
    }

    @Test("ends at once when it is cancelled, and waits for nothing any more")
    func cancelled() async throws {
        _ = try await record()
        let stream = Stream(.to("http://h/a"), try replaying(atRecordedPace: true))
        SenderTerms.with(clock: clock) { stream.call.task.resume() }
        clock.advance(by: .seconds(1))
        stream.call.task.cancel()
        #expect(stream.call.outcomes.map(\.isCancelled) == [true])
        #expect(clock.pending == 0)
    }

    @Test("fails where it failed, after the parts before")
    func failing() async throws {
        _ = try await record { $0.end(with: .failure(URLError(.networkConnectionLost))) }
        let stream = Stream(.to("http://h/a"), try replaying())
        stream.call.task.resume()
        #expect(await stream.call.outcome.code == .networkConnectionLost)
        #expect(stream.parts.values == ["head 200", "hello ", "world"])
        let again = Call(.to("http://h/a"), try replaying()).resumed()
        #expect(again.outcomes.map(\.code) == [.networkConnectionLost])
    }

    @Test("has the metrics and the trailers that it had")
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

    @Test("passes suspend, resume and cancel on to the base while it is recorded")
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

    @Test("delays a service's answer on its clock")
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
