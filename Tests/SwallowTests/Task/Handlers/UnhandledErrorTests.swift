import Foundation
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Failures that no handler receives")
struct UnhandledErrorTests {
    private let unhandled = Recorder<ServiceError>()

    /// Runs a request whose task isn't referenced, and waits until the task is released.
    private func run(
        status: Int = 500, _ attach: @Sendable (ServiceTask) async -> Void = { _ in }
    ) async {
        let source = ManualDataSource()
        let isGone = Event()
        do {
            let token = Token(isGone)
            var service = WebService.test(source)
            service.unhandledError = { [unhandled] error in
                withExtendedLifetime(token) { unhandled.append(error) }
            }
            let task = service.GET("/")
            await source.exchange.answer(status: status)
            await source.exchange.drop()
            await attach(task)
        }
        await isGone.wait()
    }

    /// An object that only the task's `unhandledError` closure holds, so it is released with the task.
    private final class Token: Sendable {
        private let isGone: Event
        init(_ isGone: Event) { self.isGone = isGone }
        deinit { isGone.happen() }
    }

    @Test("A failure without an error handler is reported once")
    func reported() async {
        await run { $0.response(.utility) { _, _ in } }
        #expect(unhandled.values.map(\.statusCode) == [500])
    }

    @Test("A failure that an error handler received is not reported")
    func received() async {
        await run { $0.responseError(.utility) { _ in } }
        #expect(unhandled.values.isEmpty)
    }

    @Test("A failure that responseCompleted received is not reported")
    func completed() async {
        await run { $0.responseCompleted(.utility) { _ in } }
        #expect(unhandled.values.isEmpty)
    }

    @Test("A failure that recover received is not reported, but an error that recover throws is")
    func recovered() async {
        await run { $0.recover { _ in Entity(content: "text") } }
        #expect(unhandled.values.isEmpty)
        await run { $0.recover { _ in throw AppError() } }
        #expect(unhandled.values.map(\.reason) == [.thrown])
    }

    @Test("A failure that an await received is not reported")
    func awaited() async {
        await run { task in
            await #expect(throws: ServiceError.self) { try await task.json }
        }
        #expect(unhandled.values.isEmpty)
    }

    @Test("A success is not reported")
    func success() async {
        await run(status: 200) { $0.response(.utility) { _, _ in } }
        #expect(unhandled.values.isEmpty)
    }

    @Test("A cancellation is not reported")
    func cancellation() async {
        let isGone = Event()
        do {
            let token = Token(isGone)
            let source = ManualDataSource()
            var service = WebService.test(source)
            service.unhandledError = { [unhandled] error in
                withExtendedLifetime(token) { unhandled.append(error) }
            }
            let task = service.GET("/")
            task.cancel()
            await source.exchange.drop()
            #expect(task.state == .completed)
        }
        await isGone.wait()
        #expect(unhandled.values.isEmpty)
    }

    @Test("A task that was never started is not reported")
    func neverStarted() {
        let source = ManualDataSource()
        var service = WebService.test(source)
        service.unhandledError = { [unhandled] in unhandled.append($0) }
        service.startTasksImmediately = false
        service.GET("/").responseError { _ in }
        #expect(unhandled.values.isEmpty)
        #expect(source.exchanges.values.isEmpty)
    }
}
