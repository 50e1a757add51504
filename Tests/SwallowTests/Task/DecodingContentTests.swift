import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Handlers and awaits with a Decoding")
struct DecodingContentTests {
    private func task(_ body: String) -> ServiceTask {
        WebService.test(ManualDataSource(answersInResume: { $0.answer(body) })).GET("/")
    }

    @Test("A handler on a queue and an await receive the decoded value")
    func value() async throws {
        let names = Recorder<String>()
        let task = task(#"{"name": "Ann"}"#)
            .responseDecoded(.utility, with: .field("name", .string)) { names.append($0) }
        #expect(try await task.decoded(with: .field("name", .string)) == "Ann")
        #expect(await names.first(1) == ["Ann"])
    }

    @Test(
        "A handler on the main actor or the main queue receives a value that was decoded off the main queue"
    )
    @MainActor func mainActor() async {
        DispatchQueue.main.setSpecific(key: QueueProbe.key, value: true)
        let places = Recorder<Bool>()
        let probe = Decoding<Bool>.custom { _ in QueueProbe.isOnMainQueue }
        task("[]")
            .responseDecoded(with: probe) {
                places.append(QueueProbe.isOnMainQueue)
                places.append($0)
            }
            .responseDecoded(.main, with: probe) { places.append($0) }
        #expect(await places.first(3) == [true, false, false])
    }

    @Test("A value that doesn't fit the decoding fails with .undecodable and the path of the value")
    func failure() async throws {
        let errors = Recorder<ServiceError>()
        task(#"{"name": 1}"#)
            .responseDecoded(.utility, with: .field("name", .string)) { _ in Issue.record("called") }
            .responseError(.utility) { errors.append($0) }
        let error = try #require(await errors.first(1).first)
        #expect(error.reason == .undecodable)
        #expect(
            (error.underlying as? DecodingFailure)?.description == "$.name: expected string, found number")
        await #expect { try await task("").decoded(with: .json) } throws: {
            ($0 as? ServiceError)?.reason == .emptyBody
        }
    }
}
