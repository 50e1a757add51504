#if os(Linux) && canImport(Glibc)
    import CurlEngine
    import Foundation
    import LoopbackServer
    import Swallow
    import SwallowLock
    import TestSupport
    import Testing

    @Suite("A transfer of the engine", .enabled(if: CurlLibrary.isAvailable))
    struct EngineTransferTests {
        private let server: LoopbackServer
        private let loop = EngineLoop(EngineConfiguration())

        init() throws {
            server = try LoopbackServer(recordsRequests: true)
        }

        private func request(_ path: String) throws -> CurlRequest {
            try CurlRequest(url: server.baseURLString + path)
        }

        private func transfer() -> EngineTransfer { EngineTransfer(on: loop) }

        /// Returns after the loop has performed all commands and checked its sockets several times.
        private func pass() async {
            for _ in 0..<5 {
                await withCheckedContinuation { continuation in
                    _ = loop.visitCookies { _ in continuation.resume() }
                }
            }
        }

        @Test("A collected body arrives with the completion")
        func collected() async throws {
            let owner = Owner()
            try transfer().start(request("/bytes/300000"), inParts: false, for: owner)
            #expect(await owner.events.first(2) == [.head(200), .complete(body: 300_000)])
        }

        @Test("The parts of a body arrive in order, and the completion has no body")
        func parts() async throws {
            let owner = Owner()
            try transfer().start(request("/bytes/300000"), inParts: true, for: owner)
            await owner.isComplete.wait()
            #expect(owner.events.values.first == .head(200))
            #expect(owner.events.values.last == .complete(body: 0))
            #expect(owner.body.withLock { $0 } == LoopbackServer.octets(300_000))
        }

        @Test("A body above the limit arrives in parts if the owner wants parts before the command comes")
        func partsAboveLimit() async throws {
            var configuration = EngineConfiguration()
            configuration.maximumResponseSize = 10_000
            let loop = EngineLoop(configuration)
            for wantsParts in [true, false] {
                let owner = Owner(wantsParts: wantsParts)
                let transfer = EngineTransfer(on: loop)
                try transfer.start(request("/chunked/5000"), inParts: false, for: owner)
                await owner.isComplete.wait()
                #expect(
                    owner.events.values.last
                        == (wantsParts ? .complete(body: 0) : .failure(.dataLengthExceedsMaximum)))
                if wantsParts { #expect(owner.body.withLock { $0.count } == 53_890) }
            }
        }

        @Test("The bytes before a lost connection arrive if the owner wants parts before the command comes")
        func partsBeforeFailure() async throws {
            let owner = Owner(wantsParts: true)
            let transfer = transfer()
            try transfer.start(request("/fault/truncated"), inParts: false, for: owner)
            await owner.isComplete.wait()
            #expect(owner.events.values.last == .failure(.networkConnectionLost))
            #expect(owner.body.withLock { $0.count } > 0)
        }

        @Test("Commands before the start take effect at the start")
        func early() async throws {
            let (cancelled, paused) = (Owner(), Owner())
            var transfer = transfer()
            transfer.cancel()
            try transfer.start(request("/bytes/10"), inParts: false, for: cancelled)
            transfer = self.transfer()
            transfer.deliverParts()
            transfer.setPause(.all)
            try transfer.start(request("/bytes/300000"), inParts: false, for: paused)
            await pass()
            #expect(cancelled.events.values == [] && paused.events.values == [])
            transfer.setPause(.none)
            await paused.isComplete.wait()
            #expect(paused.body.withLock { $0.count } == 300_000)
            #expect(server.requests.map(\.target) == ["/bytes/300000"])
        }

        @Test(
            "After a body part pauses the transfer, nothing arrives until it is resumed, not even the completion"
        )
        func full() async throws {
            let owner = Owner(flow: .pause)
            let transfer = transfer()
            try transfer.start(request("/bytes/300000"), inParts: true, for: owner)
            var count = 2
            while await owner.events.first(count).last != .complete(body: 0) {
                await pass()
                #expect(owner.events.values.count == count)
                transfer.setPause(.none)
                count += 1
            }
            #expect(owner.body.withLock { $0 } == LoopbackServer.octets(300_000))
        }

        @Test("Nothing arrives during a decision about the head", arguments: [true, false])
        func later(isStreamed: Bool) async throws {
            let owner = Owner(answer: .later)
            let transfer = transfer()
            try transfer.start(request("/bytes/10"), inParts: isStreamed, for: owner)
            _ = await owner.events.first(1)
            await pass()
            #expect(owner.events.values == [.head(200)])
            transfer.answer(.accept)
            await owner.isComplete.wait()
            #expect(
                owner.events.values.dropFirst()
                    == (isStreamed ? [.part(10), .complete(body: 0)] : [.complete(body: 10)]))
        }

        @Test("A drained body is dropped, and its connection is reused for the next request")
        func drain() async throws {
            for answer in [HeadAnswer.drain, .later] {
                let owner = Owner(answer: answer)
                let transfer = transfer()
                try transfer.start(request("/bytes/1000"), inParts: true, for: owner)
                _ = await owner.events.first(1)
                if answer == .later { transfer.answer(.drain) }
                await owner.isComplete.wait()
                #expect(owner.events.values.count == 2 && owner.body.withLock { $0.isEmpty })
            }
            #expect(server.connectionCount == 1)
        }

        @Test("A body that is too long to drain fails with .cancelled")
        func drainTooLong() async throws {
            let owner = Owner(answer: .drain)
            try transfer().start(request("/bytes/100000"), inParts: true, for: owner)
            #expect(await owner.events.first(2) == [.head(200), .failure(.cancelled)])
        }

        @Test("A transfer that fails before its start completes, even if the loop is closed at that moment")
        func failedBeforeClose() async throws {
            for _ in 0..<50 {
                let loop = EngineLoop(EngineConfiguration())
                let (owner, transfer) = (Owner(), EngineTransfer(on: loop))
                let isSent = transfer.fail(with: .transport(.cancelled), for: owner)
                await loop.close()
                if isSent { await owner.isComplete.wait() }
                #expect(isSent && owner.events.values == [.failure(.cancelled)])
            }
        }

        @Test("A cancelled transfer delivers nothing more and releases its owner")
        func cancelled() async throws {
            weak var gone: Owner?
            let transfer = transfer()
            do {
                let owner = Owner()
                gone = owner
                try transfer.start(request("/fault/stall"), inParts: false, for: owner)
                _ = await server.request(at: 0)
                transfer.cancel()
                await pass()
                #expect(!owner.events.values.contains(.failure(.cancelled)))
            }
            #expect(gone == nil)
        }
    }

    private final class Owner: EngineTransferOwner {
        enum Event: Sendable, Equatable {
            case head(Int)
            case part(Int)
            case complete(body: Int)
            case failure(URLError.Code?)
        }

        let events = Recorder<Event>()
        let isComplete = TestSupport.Event()
        let body = Lock(Data())
        private let answer: HeadAnswer
        private let flow: Flow
        let wantsParts: Bool

        init(answer: HeadAnswer = .accept, flow: Flow = .more, wantsParts: Bool = false) {
            (self.answer, self.flow, self.wantsParts) = (answer, flow, wantsParts)
        }

        func receiveHead(_ head: EngineHead) -> HeadAnswer {
            events.append(.head(head.status))
            return answer
        }

        func receiveBodyPart(_ bodyPart: Data) -> Flow {
            body.withLock { $0 += bodyPart }
            events.append(.part(bodyPart.count))
            return flow
        }

        func receiveCompletion(_ result: EngineResult) {
            switch result {
            case .success(let body): events.append(.complete(body: body.count))
            case .failure(.transport(let kind, _), _): events.append(.failure(kind))
            case .failure: events.append(.failure(nil))
            }
            isComplete.happen()
        }
    }
#endif
