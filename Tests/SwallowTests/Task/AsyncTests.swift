import Foundation
import Testing
import TestSupport

import Swallow

@Suite("Async accessors of a task")
struct AsyncTests {
    private let source = ManualDataSource()

    @Test("An await starts a task that was never started")
    func starts() async throws {
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer("[1]") }))
        service.startTasksImmediately = false
        #expect(try await service.GET("/").decoded(as: [Int].self) == [1])
    }

    @Test("Every accessor reads the same response")
    func accessors() async throws {
        let task = WebService.test(source).GET("/")
        await source.exchange.answer(#"{"a": 1}"#)
        #expect(try await task.data == Data(#"{"a": 1}"#.utf8))
        #expect(try await task.json["a"].int == 1)
        #expect(try await task.text == #"{"a": 1}"#)
        #expect(try await task.decoded() == ["a": 1])
        #expect(try await task.content(as: JSON.self)["a"] == 1)
        #expect(try await task.result.get().contentType == "application/json")
    }

    @Test("An await takes its place in the chain at the point where it is called")
    @MainActor func joinsTheChain() async throws {
        let gate = DispatchSemaphore(value: 0)
        let log = Recorder<String>()
        let task = WebService.test(ManualDataSource(answersInResume: { $0.answer() })).GET("/")
            .response(.patient) { _, _ in
                gate.wait()
                log.append("handler")
            }
        let reading = Task {
            _ = try await task.data
            log.append("await")
        }
        // The main actor runs this after the task above waits, so the await could have read the response before
        // the handler.
        Task { gate.signal() }
        try await reading.value
        #expect(log.values == ["handler", "await"])
    }

    @Test("An await throws the failure, or returns the content that recover returned")
    func seesTheState() async throws {
        let task = WebService.test(source).GET("/")
        await source.exchange.answer(status: 404)
        await #expect { try await task.json } throws: { ($0 as? ServiceError)?.isNotFound == true }
        task.recover { _ in Entity(content: "text", contentType: "text/plain") }
        #expect(try await task.text == "text")
        #expect(try await task.content(as: String.self) == "text")
    }

    @Test("The error property is the failure that remains after the handlers, and nil after a success")
    func error() async {
        let service = WebService.test(
            ManualDataSource(answersInResume: { exchange in
                if exchange.request.url?.path() == "/broken" { return exchange.answer("{") }
                exchange.answer("[1]", status: exchange.request.url?.path() == "/a" ? 200 : 404)
            }))
        #expect(await service.GET("/a").error == nil)
        #expect(await service.GET("/missing").error?.isNotFound == true)
        #expect(await service.GET("/missing").recover { _ in [1] }.error == nil)
        #expect(await service.GET("/broken").error?.reason == .unparsable)
    }

    @Test("An await that throws doesn't fail the chain")
    func ownError() async throws {
        let errors = Recorder<ServiceError>()
        let task = WebService.test(source).GET("/").responseError { errors.append($0) }
        await source.exchange.answer(#"{"a": "b"}"#)
        await #expect { try await task.decoded(as: [Int].self) } throws: {
            ($0 as? ServiceError)?.reason == .undecodable && ($0 as? ServiceError)?.request != nil
        }
        #expect(try await task.decoded(as: [String: String].self) == ["a": "b"])
        #expect(errors.values.isEmpty)
    }
}
