import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A stubbed data task")
struct StubDataTaskTests {
    private let stub = StubDataSource()
    private let clock = ManualClock()

    @Test("A data task does nothing before resume(), and responds once inside resume()")
    func resume() throws {
        stub.stub(.GET, "/stores", .text("here"))
        let exchange = Call(try .test(), stub)
        exchange.task.suspend()
        #expect(exchange.outcomes.isEmpty)
        #expect(stub.requests.isEmpty)
        exchange.task.resume()
        #expect(exchange.outcomes.map(\.text) == ["here"])
        exchange.task.resume()
        exchange.task.suspend()
        exchange.task.cancel()
        exchange.task.resume()
        #expect(exchange.outcomes.count == 1)
    }

    @Test("A data task that is cancelled before resume() completes once and isn't sent")
    func cancelBefore() throws {
        stub.stub(.GET, "/stores", .status(200))
        let exchange = Call(try .test(), stub)
        exchange.task.cancel()
        #expect(exchange.outcomes.map(\.isCancelled) == [true])
        exchange.task.resume()
        exchange.task.cancel()
        #expect(exchange.outcomes.count == 1)
        #expect(stub.requests.isEmpty)
    }

    @Test("A data task that is cancelled while its response is created fails as cancelled")
    func cancelWhile() throws {
        let running = Recorder<Call>()
        stub.stub(
            .GET, "/stores",
            .dynamic { _ in
                running.values.first?.task.cancel()
                return .status(200)
            })
        let exchange = Call(try .test(), stub)
        running.append(exchange)
        exchange.task.resume()
        #expect(exchange.outcomes.map(\.isCancelled) == [true])
        #expect(stub.requests.count == 1)
    }

    @Test("A delay doesn't block the thread that calls resume()")
    func delay() throws {
        stub.stub(.GET, "/stores", .status(204).delayed(.milliseconds(20)).delayed(.milliseconds(10)))
        let exchange = Call(try .test(), stub)
        TransferContext.with(clock: clock) { exchange.task.resume() }
        #expect(stub.requests.count == 1)
        clock.advance(by: .milliseconds(29))
        #expect(exchange.outcomes.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(exchange.outcomes.map(\.status) == [204])
    }

    @Test(
        "Delays apply to errors and to closures",
        arguments: [StubResponse.failure(AppError()), .dynamic { _ in throw AppError() }])
    func delayedFailure(response: StubResponse) throws {
        stub.stub(.GET, "/stores", response.delayed(.milliseconds(5)))
        let exchange = Call(try .test(), stub)
        TransferContext.with(clock: clock) { exchange.task.resume() }
        clock.advance(by: .milliseconds(4))
        #expect(exchange.outcomes.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(exchange.outcomes.map { $0.error is AppError } == [true])
    }

    @Test("A delay uses the system's clock by default")
    func systemClock() async throws {
        stub.stub(.GET, "/stores", .status(204).delayed(.milliseconds(5)))
        #expect(await Call(try .test(), stub).resumed().outcome.status == 204)
    }

    @Test("A negative delay counts as zero")
    func negativeDelay() throws {
        stub.stub(.GET, "/stores", .status(200).delayed(.seconds(-1)))
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        #expect(exchange.outcomes.count == 1)
    }

    @Test(
        "A data task that is cancelled during a delay completes immediately and releases its completion",
        arguments: [Duration.seconds(3600), .seconds(Int64.max)])
    func cancelDelay(delay: Duration) throws {
        stub.stub(.GET, "/stores", .status(200).delayed(delay).delayed(delay).delayed(delay))
        let answers = Recorder<Bool>()
        var owner: Owner? = Owner()
        weak let weakOwner = owner
        let task = stub.dataTask(with: try .test()) { [owner] _, _, error in
            _ = owner
            answers.append((error as? URLError)?.code == .cancelled)
        }
        owner = nil
        task.resume()
        #expect(answers.values.isEmpty)
        #expect(weakOwner != nil)
        task.cancel()
        #expect(answers.values == [true])
        #expect(weakOwner == nil)
        task.resume()
        #expect(answers.values.count == 1)
    }

    private final class Owner: Sendable {}

    @Test("A data task that is suspended while its response is created holds it until resume()")
    func suspendWhile() throws {
        let running = Recorder<Call>()
        stub.stub(
            .GET, "/stores",
            .dynamic { _ in
                running.values.first?.task.suspend()
                return .status(200)
            })
        let exchange = Call(try .test(), stub)
        running.append(exchange)
        exchange.task.resume()
        #expect(exchange.outcomes.isEmpty)
        exchange.task.suspend()
        exchange.task.resume()
        #expect(exchange.outcomes.map(\.status) == [200])
        #expect(stub.requests.count == 1)
    }

    @Test("A data task that is suspended during a delay holds its response until resume() or cancel()")
    func suspendDelay() throws {
        let running = Recorder<Call>()
        let suspending = StubResponse.dynamic { _ in
            running.values.last?.task.suspend()
            return .status(200)
        }
        stub.stub(.GET, "/stores", suspending.delayed(.milliseconds(1)))
        let (resumed, cancelled) = (Call(try .test(), stub), Call(try .test(), stub))
        for exchange in [resumed, cancelled] {
            running.append(exchange)
            TransferContext.with(clock: clock) { exchange.task.resume() }
        }
        clock.advance(by: .milliseconds(1))
        #expect(resumed.outcomes.isEmpty)
        #expect(cancelled.outcomes.isEmpty)
        resumed.task.resume()
        #expect(resumed.outcomes.map(\.status) == [200])
        cancelled.task.cancel()
        #expect(cancelled.outcomes.map(\.isCancelled) == [true])
    }

    @Test("A data task that is suspended and resumed during a delay waits for the rest of it")
    func resumeWithinDelay() throws {
        stub.stub(.GET, "/stores", .status(200).delayed(.milliseconds(20)))
        let exchange = Call(try .test(), stub)
        TransferContext.with(clock: clock) { exchange.task.resume() }
        clock.advance(by: .milliseconds(15))
        exchange.task.suspend()
        exchange.task.resume()
        clock.advance(by: .milliseconds(4))
        #expect(exchange.outcomes.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(exchange.outcomes.map(\.status) == [200])
    }

    @Test("A data task completes exactly once while many threads call it", arguments: [0, 200])
    func storm(delayInMicroseconds: Int) async throws {
        stub.stub(.GET, "/stores", .status(200).delayed(.microseconds(delayInMicroseconds)))
        let request = try URLRequest.test()
        let exchanges = (0..<200).map { _ in Call(request, stub) }
        let storm: @Sendable (Int) -> Void = { thread in
            for (index, exchange) in exchanges.enumerated() {
                switch (thread + index) % 4 {
                case 0: exchange.task.suspend()
                case 1 where index.isMultiple(of: 3): exchange.task.cancel()
                default: exchange.task.resume()
                }
            }
        }
        DispatchQueue.concurrentPerform(iterations: 8, execute: storm)
        for exchange in exchanges {
            exchange.task.resume()
            _ = await exchange.outcome
        }
        DispatchQueue.concurrentPerform(iterations: 8, execute: storm)
        #expect(exchanges.allSatisfy { $0.outcomes.count == 1 })
        #expect(exchanges.allSatisfy { $0.outcomes[0].status == 200 || $0.outcomes[0].isCancelled })
        #expect(stub.requests.count <= exchanges.count)
    }
}
