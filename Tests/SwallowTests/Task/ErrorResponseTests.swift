import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Errors thrown by a handler include the response")
struct ErrorResponseTests {
    private let source = ManualDataSource(answersInResume: { $0.answer(#"{"message": "no"}"#, status: 201) })
    private let errors = Recorder<ServiceError>()

    @Test("A thrown error has the response's head and body")
    func thrown() async {
        WebService.test(source).GET("/a")
            .responseJSON(.utility) { _ in throw AppError() }
            .responseError(.utility) { errors.append($0) }
        let error = await errors.first(1)[0]
        #expect(error.reason == .thrown && error.underlying as? AppError == AppError())
        #expect(error.statusCode == 201 && error.json["message"].string == "no")
    }

    @Test("An error that a handler passes to throwError has the response's head and body")
    func throwError() async {
        let task = WebService.test(source).GET("/a")
        task.responseJSON(.utility) { [weak task] _ in task?.throwError(AppError()) }
            .responseError(.utility) { errors.append($0) }
        let error = await errors.first(1)[0]
        #expect(error.statusCode == 201 && error.json["message"].string == "no")
    }

    @Test("throwError accepts errors in short form, such as .noOutput")
    func shortForms() async {
        let task = WebService.test(source).GET("/a")
        task.responseJSON(.utility) { [weak task] _ in task?.throwError(.noOutput) }
            .responseError(.utility) { errors.append($0) }
        #expect(await errors.first(1)[0].reason == .noOutput)
        task.throwError(.cancelled)
        #expect(await task.result.isCancelled)
    }

    @Test("A thrown decoding error fails with .undecodable, and a thrown parse error fails with .unparsable")
    func kinds() async throws {
        let kinds: [(any Error, ServiceError.Reason)] = [
            (DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "x")), .undecodable),
            (
                try #require(throws: DecodingFailure.self) { try Decoding.int.value(from: JSON.null) },
                .undecodable
            ),
            (try #require(throws: JSONError.self) { try JSON(parsing: "{") }, .unparsable),
        ]
        for (thrown, reason) in kinds {
            let errors = Recorder<ServiceError>()
            WebService.test(source).GET("/a")
                .response(.utility) { _, _ in throw thrown }
                .responseError(.utility) { errors.append($0) }
            let error = await errors.first(1)[0]
            #expect(error.reason == reason && error.statusCode == 201)
            #expect(error.userMessage == ServiceError(reason).userMessage)
            let future = WebService.test(source).future(as: JSON.self) { $0.GET("/a") }
            guard case .failure(let mapped) = await future.map({ _ -> Int in throw thrown }).result else {
                Issue.record("the future succeeded")
                continue
            }
            #expect(mapped.reason == reason)
            let futures = [
                future.andThen { _ -> ServiceFuture<Int> in throw thrown },
                ServiceFuture<Int> { throw thrown },
            ]
            for future in futures { #expect(await future.result.reason == reason) }
        }
    }

    @Test("A task's response has the head and the body, and an entity from a response has its status")
    func headAndBody() async throws {
        let task = WebService.test(source).GET("/a")
        let (head, data) = try await task.response
        #expect(head.statusCode == 201 && data == Data(#"{"message": "no"}"#.utf8))
        #expect(try await task.result.get().statusCode == 201)
        #expect(Entity(content: 1).statusCode == nil)
    }
}

extension Result where Failure == ServiceError {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = self { error.isCancelled } else { false }
    }
}
