import Foundation
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Failure")
struct FailureTests {
    private let source = ManualDataSource()
    private let log = Recorder<String>()

    @Test("An unacceptable status passes over success handlers, and error handlers get response and body")
    func unacceptableStatus() async throws {
        let errors = Recorder<ServiceError>()
        WebService.test(source).GET("/")
            .response { _, _ in log.append("success") }
            .responseError { errors.append($0) }
            .responseJSON(.utility) { _ in log.append("success") }
            .responseError(.utility) { errors.append($0) }
        await source.exchange.answer(#"{"message": "No such zip"}"#, status: 422)
        for error in await errors.first(2) {
            #expect(error.reason == .unacceptableStatus)
            #expect(error.statusCode == 422)
            #expect(error.json["message"].string == "No such zip")
            #expect(error.entity?.content is JSON)
            #expect(error.request?.method == .GET)
            #expect(!error.userMessage.isEmpty)
        }
        #expect(log.values.isEmpty)
    }

    @Test("An error body that can't be parsed leaves the error as it was, with the raw body")
    func unparsableErrorBody() async {
        let errors = Recorder<ServiceError>()
        WebService.test(source).GET("/").responseError(.utility) { errors.append($0) }
        await source.exchange.answer("<html>", status: 502)
        let error = await errors.first(1)[0]
        #expect(error.reason == .unacceptableStatus)
        #expect(error.entity?.content as? Data == Data("<html>".utf8))
        #expect(error.json == .missing)
    }

    @Test("What a handler throws reaches the error handlers after it, not those before")
    func thrownByHandler() async {
        let errors = Recorder<ServiceError>()
        WebService.test(source).GET("/")
            .responseError { _ in log.append("before") }
            .responseJSON { _ in throw AppError(code: 7) }
            .responseJSON { _ in log.append("after") }
            .responseError { errors.append($0) }
        await source.exchange.answer()
        let error = await errors.first(1)[0]
        #expect(error.reason == .thrown)
        #expect(error.underlying as? AppError == AppError(code: 7))
        #expect(error.statusCode == 200)
        #expect(log.values.isEmpty)
    }

    @Test("A ServiceError that a handler throws is the chain's error")
    func thrownServiceError() async {
        let errors = Recorder<ServiceError>()
        WebService.test(source).GET("/")
            .response(.utility) { _, _ in throw ServiceError(.noOutput, userMessage: "Nothing there") }
            .responseError(.utility) { errors.append($0) }
        await source.exchange.answer()
        let error = await errors.first(1)[0]
        #expect(error.reason == .noOutput)
        #expect(error.userMessage == "Nothing there")
        #expect(error.request != nil)
    }

    @Test("throwError inside a handler fails the chain before the next handler")
    func throwErrorInside() async {
        let errors = Recorder<ServiceError>()
        let task = WebService.test(source).GET("/")
        task.response(.utility) { _, _ in task.throwError(AppError(code: 2)) }
            .response(.utility) { _, _ in log.append("after") }
            .responseError(.utility) { errors.append($0) }
        await source.exchange.answer()
        #expect(await errors.first(1)[0].underlying as? AppError == AppError(code: 2))
        #expect(log.values.isEmpty)
    }

    @Test("throwError from outside takes effect before the next handler starts")
    func throwErrorOutside() async {
        let gate = DispatchSemaphore(value: 0)
        let isRunning = Event()
        let errors = Recorder<ServiceError>()
        let task = WebService.test(source).GET("/")
            .response(.patient) { _, _ in
                isRunning.happen()
                gate.wait()
            }
            .response(.utility) { _, _ in log.append("next") }
            .responseError(.utility) { errors.append($0) }
        await source.exchange.answer()
        await isRunning.wait()
        task.throwError(AppError())
        gate.signal()
        #expect(await errors.first(1)[0].reason == .thrown)
        #expect(log.values.isEmpty)
    }

    @Test("throwError while the request is on its way ends it")
    func throwErrorEndsRequest() async {
        let errors = Recorder<ServiceError>()
        let task = WebService.test(source).GET("/").responseError(.utility) { errors.append($0) }
        let exchange = await source.exchange
        task.throwError(AppError())
        #expect(await errors.first(1)[0].reason == .thrown)
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
        #expect(task.state == .completed)
    }

    @Test("A recover puts content in the failure's place, and the chain goes on")
    func recover() async {
        let stores = Recorder<[String]>()
        let json = Recorder<JSON>()
        WebService.test(source).GET("/")
            .recover { _ in Entity(content: JSON.array(["cached"]), contentType: "application/json") }
            .responseError { _ in log.append("error") }
            .responseDecoded(.utility, as: [String].self) { stores.append($0) }
            .responseJSON { json.append($0) }
            .response(.utility) { head, data in
                log.append("\(head.statusCode) \(String(decoding: data, as: UTF8.self))")
            }
        await source.exchange.complete(error: URLError(.notConnectedToInternet))
        #expect(await stores.first(1) == [["cached"]])
        #expect(await json.first(1) == [["cached"]])
        #expect(await log.first(1) == [#"200 ["cached"]"#])
    }

    @Test("A recover that throws puts its error in the failure's place")
    func recoverThrows() async {
        let errors = Recorder<ServiceError>()
        WebService.test(source).GET("/")
            .recover { _ in throw AppError(code: 3) }
            .response { _, _ in log.append("success") }
            .responseError { errors.append($0) }
        await source.exchange.answer(status: 500)
        #expect(await errors.first(1)[0].underlying as? AppError == AppError(code: 3))
        #expect(log.values.isEmpty)
    }

    @Test("A recover is passed over after a success")
    func recoverAfterSuccess() async {
        WebService.test(source).GET("/")
            .recover { error in
                log.append("recover")
                throw error
            }
            .response(.utility) { _, _ in log.append("success") }
        await source.exchange.answer()
        #expect(await log.first(1) == ["success"])
    }

    @Test("responseCompleted runs either way", arguments: [200, 404])
    func completed(status: Int) async {
        let results = Recorder<Result<Entity<any Sendable>, ServiceError>>()
        WebService.test(source).GET("/").responseCompleted { results.append($0) }
        await source.exchange.answer("[1]", status: status)
        switch await results.first(1)[0] {
        case .success(let entity): #expect(status == 200 && entity.content as? JSON == [1])
        case .failure(let error): #expect(status == 404 && error.isNotFound)
        }
    }

    @Test("responseCompleted gets the failure of a body that can't be parsed")
    func completedUnparsable() async {
        let results = Recorder<Result<Entity<any Sendable>, ServiceError>>()
        let task = WebService.test(source).GET("/")
            .response(.utility) { _, _ in log.append("raw") }
            .responseCompleted(.utility) { results.append($0) }
            .responseError { _ in log.append("error") }
        await source.exchange.answer("{")
        guard case .failure(let error) = await results.first(1)[0] else {
            Issue.record("a success")
            return
        }
        #expect(error.reason == .unparsable)
        #expect((error.underlying as? JSONError)?.offset == 1)
        #expect(await log.first(2) == ["raw", "error"])
        withExtendedLifetime(task) {}
    }

    @Test("Of throwError and a throw in one handler, the first counts")
    func throwErrorThenThrow() async {
        let errors = Recorder<ServiceError>()
        let task = WebService.test(source).GET("/")
        task.response(.utility) { _, _ in
            task.throwError(AppError(code: 1))
            throw AppError(code: 2)
        }
        .responseError(.utility) { errors.append($0) }
        await source.exchange.answer()
        #expect(await errors.first(1)[0].underlying as? AppError == AppError(code: 1))
    }

    @Test("A cancel or throwError during a recover outdoes it", arguments: [true, false])
    func failureDuringRecover(isCancel: Bool) async {
        let task = WebService.test(source).GET("/")
        task.recover(.utility) { _ in
            if isCancel { task.cancel() } else { task.throwError(AppError(code: 5)) }
            return Entity(content: "recovered")
        }
        .responseText(.utility) { _ in log.append("success") }
        .responseError(.utility) { error in log.append("\(error.reason)") }
        await source.exchange.answer(status: 500)
        #expect(await log.first(1) == [isCancel ? "cancelled" : "thrown"])
    }

    @Test("Recovered content that is what a handler asks for is taken as it is")
    func recoverTyped() async throws {
        struct Store: Codable, Equatable { let id: Int }
        let task = WebService.test(source).GET("/").recover { _ in Entity(content: [Store(id: 1)]) }
        await source.exchange.answer(status: 500)
        #expect(try await task.decoded(as: [Store].self) == [Store(id: 1)])
        #expect(try await task.content(as: [Store].self) == [Store(id: 1)])
    }
}
