import Foundation
import Swallow
import TestSupport
import Testing

private struct Rule: ResponseTransformer {
    let rule: @Sendable (Outcome) -> Outcome

    func process(_ outcome: Outcome) -> Outcome { rule(outcome) }
}

@Suite("Pipelines: failures")
struct ErrorTransformationTests {
    private func result(
        status: Int = 422, body: String = #"{"message": "No."}"#, error: URLError? = nil,
        _ configure: @escaping @Sendable (inout Pipeline) -> Void
    ) async -> Outcome {
        let source = ManualDataSource(answersInResume: { exchange in
            if let error { exchange.complete(error: error) } else { exchange.answer(body, status: status) }
        })
        var service = WebService.test(source)
        service.configure { configure(&$0.pipeline) }
        return await service.GET("/").result
    }

    private func failure(_ outcome: Outcome) throws -> ServiceError {
        guard case .failure(let error) = outcome else {
            throw AppError()
        }
        return error
    }

    @Test("A transformer sees a failure with its body parsed, and may change its words")
    func userMessage() async throws {
        let error = try failure(
            await result {
                $0[.model].add(
                    Rule { response in
                        response.mapError { error in
                            var error = error
                            error.userMessage = error.json["message"].string ?? "?"
                            return error
                        }
                    })
            })
        #expect(error.userMessage == "No." && error.reason == .unacceptableStatus && error.statusCode == 422)
    }

    @Test(
        "transformErrors makes a model of the body; one that can't be made leaves error and body as they were"
    )
    func transformErrors() async throws {
        let transformer = ResponseContentTransformer(transformErrors: true) { (entity: Entity<JSON>) in
            guard let message = entity.content["message"].string else { throw AppError() }
            return message
        }
        #expect(try failure(await result { $0[.model].add(transformer) }).entity?.content as? String == "No.")
        let other = try failure(await result(body: "{}") { $0[.model].add(transformer) })
        #expect(other.reason == .unacceptableStatus && other.entity?.content as? JSON == [:])
        let raw = try failure(await result(body: "{") { $0[.model].add(transformer) })
        #expect(raw.reason == .unacceptableStatus && raw.entity?.content as? Data == Data("{".utf8))
    }

    @Test("Without transformErrors a body stays as the parsers left it")
    func untouched() async throws {
        let transformer = ResponseContentTransformer { (_: Entity<JSON>) in 7 }
        #expect(try failure(await result { $0[.model].add(transformer) }).json["message"] == "No.")
    }

    @Test("A failure may become a success", arguments: [nil, URLError(.notConnectedToInternet)])
    func recovery(error: URLError?) async throws {
        let response = await result(error: error) {
            $0[.model].add(
                Rule { response in
                    if case .failure = response { .success(Entity(content: "instead")) } else { response }
                })
        }
        #expect(try response.get().content as? String == "instead")
    }

    @Test("A success may become a failure, which skips handlers and is received by error handlers")
    func successToFailure() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer(#"{"error": "soft"}"#) })
        var service = WebService.test(source)
        service.configure {
            $0.pipeline[.model].add(
                Rule { response in
                    guard case .success(let entity) = response, let text = entity.json["error"].string else {
                        return response
                    }
                    return .failure(ServiceError(.invalidResponse, userMessage: text, entity: entity))
                })
        }
        let errors = Recorder<ServiceError>()
        let task = service.GET("/")
            .response(.utility) { _, _ in Issue.record("called") }
            .responseError(.utility) { errors.append($0) }
        let error = try #require(await errors.first(1).first)
        #expect(error.userMessage == "soft" && error.statusCode == 200 && error.json["error"] == "soft")
        #expect(error.request?.urlString == task.request.urlString)
    }

    @Test("A transport failure goes through the pipeline, a cancellation doesn't")
    func transport() async throws {
        let seen = Recorder<ServiceError.Reason>()
        let observe: @Sendable (inout Pipeline) -> Void = {
            $0[.cleanup].add(
                Rule { response in
                    if case .failure(let error) = response { seen.append(error.reason) }
                    return response
                })
        }
        _ = await result(error: URLError(.cancelled), observe)
        _ = await result(error: URLError(.timedOut), observe)
        #expect(seen.values == [.timedOut])
    }

    @Test("The outcome is the same whichever handlers a task has")
    func sameOutcome() async {
        let source = ManualDataSource(answersInResume: { $0.answer("not json") })
        var service = WebService.test(source)
        service.configureTransformer { (entity: Entity<JSON>) in entity.content }
        let errors = Recorder<ServiceError.Reason>()
        service.GET("/raw")
            .response(.utility) { _, _ in Issue.record("called") }
            .responseError(.utility) { errors.append($0.reason) }
        await #expect(throws: ServiceError.self) { try await service.GET("/text").text }
        #expect(await errors.first(1) == [.unparsable])
    }
}
