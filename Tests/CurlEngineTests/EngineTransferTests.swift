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
            try loop.start()
        }

        private func transfer(_ path: String) throws -> EngineTransfer {
            try EngineTransfer(CurlRequest(url: server.baseURLString + path), on: loop)
        }

        /// Returns once the loop has performed all commands, and looked at its sockets several times.
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
            #expect(try transfer("/bytes/300000").start(.collected, for: owner))
            #expect(await owner.events.first(2) == [.head(200), .complete(body: 300_000)])
        }

        @Test("The parts of a body arrive in order, and the completion without them")
        func parts() async throws {
            let owner = Owner()
            #expect(try transfer("/bytes/300000").start(.parts, for: owner))
            await owner.isComplete.wait()
            #expect(owner.events.values.first == .head(200))
            #expect(owner.events.values.last == .complete(body: 0))
            #expect(owner.body.withLock { $0 } == LoopbackServer.octets(300_000))
        }

        @Test("Commands that arrive before the start take effect at the start")
        func early() async throws {
            let (cancelled, paused) = (Owner(), Owner())
            var transfer = try transfer("/bytes/10")
            transfer.cancel()
            #expect(transfer.start(.collected, for: cancelled))
            transfer = try self.transfer("/bytes/300000")
            transfer.deliverParts()
            transfer.pause()
            #expect(transfer.start(.collected, for: paused))
            await pass()
            #expect(cancelled.events.values == [] && paused.events.values == [])
            transfer.resume()
            await paused.isComplete.wait()
            #expect(paused.body.withLock { $0.count } == 300_000)
            #expect(server.requests.map(\.target) == ["/bytes/300000"])
        }

        @Test(
            "After a part that pauses, nothing arrives until the transfer is resumed, not even the completion"
        )
        func full() async throws {
            let owner = Owner(flow: .pause)
            let transfer = try transfer("/bytes/300000")
            #expect(transfer.start(.parts, for: owner))
            var count = 2
            while await owner.events.first(count).last != .complete(body: 0) {
                await pass()
                #expect(owner.events.values.count == count)
                transfer.resume()
                count += 1
            }
            #expect(owner.body.withLock { $0 } == LoopbackServer.octets(300_000))
        }

        @Test("While a decision about the head is due, nothing arrives", arguments: [true, false])
        func later(isStreamed: Bool) async throws {
            let owner = Owner(answer: .later)
            let transfer = try transfer("/bytes/10")
            #expect(transfer.start(isStreamed ? .parts : .collected, for: owner))
            _ = await owner.events.first(1)
            await pass()
            #expect(owner.events.values == [.head(200)])
            transfer.answer(.accept)
            await owner.isComplete.wait()
            #expect(
                owner.events.values.dropFirst()
                    == (isStreamed ? [.part(10), .complete(body: 0)] : [.complete(body: 10)]))
        }

        @Test("A drained body is dropped, and its connection serves the next request")
        func drain() async throws {
            for answer in [HeadAnswer.drain, .later] {
                let owner = Owner(answer: answer)
                let transfer = try transfer("/bytes/1000")
                #expect(transfer.start(.parts, for: owner))
                _ = await owner.events.first(1)
                if answer == .later { transfer.answer(.drain) }
                await owner.isComplete.wait()
                #expect(owner.events.values.count == 2 && owner.body.withLock { $0.isEmpty })
            }
            #expect(server.connectionCount == 1)
        }

        @Test("A body that is too long to drain ends its connection")
        func drainTooLong() async throws {
            let owner = Owner(answer: .drain)
            #expect(try transfer("/bytes/100000").start(.parts, for: owner))
            #expect(await owner.events.first(2) == [.head(200), .failure(.cancelled)])
        }

        @Test("A cancelled transfer delivers nothing more, and releases its owner")
        func cancelled() async throws {
            weak var gone: Owner?
            let transfer = try transfer("/fault/stall")
            do {
                let owner = Owner()
                gone = owner
                #expect(transfer.start(.collected, for: owner))
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

        init(answer: HeadAnswer = .accept, flow: Flow = .more) {
            (self.answer, self.flow) = (answer, flow)
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

        func note(_ progress: EngineProgress) {}

        func complete(_ result: EngineResult, _ report: EngineReport?) {
            switch result {
            case .response(_, let body): events.append(.complete(body: body.count))
            case .failure(.transport(let kind, _), _): events.append(.failure(kind))
            case .failure: events.append(.failure(nil))
            }
            isComplete.happen()
        }
    }
#endif
