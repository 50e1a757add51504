import Foundation
import Testing
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Secrets in the description of an error")
struct ServiceErrorTextTests {
    private struct Model: Decodable, Sendable {
        enum Color: String, Decodable { case red }
        var color: Color?
        var small: Int8?
        var date: Date?
        var url: URL?
    }

    private func failure(
        _ body: String, _ read: @Sendable (ServiceTask) async throws -> Void
    ) async throws -> ServiceError {
        let service = WebService.test(ManualDataSource(answersInResume: { $0.answer(body) }))
        do {
            try await read(service.GET("/a"))
        } catch {
            return try #require(error as? ServiceError)
        }
        throw AppError()
    }

    @Test(
        "The description has no part of the body",
        arguments: [
            #"{"color": 77777 s3cret}"#, #"s3cret"#, #"{"color": "s3cret"}"#, #"{"small": 77777}"#,
            #"{"date": "s3cret"}"#, #"{"url": "http://[s3cret"}"#, #"{"color": ["s3cret"]}"#,
        ])
    func bodies(body: String) async throws {
        let plain = try await failure(body) { _ = try await $0.decoded(as: Model.self) }
        let foundation = try await failure(body) { task in
            let data = try await task.data
            do {
                _ = try JSONDecoder().decode(Model.self, from: data)
            } catch {
                throw ServiceError(thrown: error)
            }
            throw ServiceError(.undecodable)
        }
        let decoding = Decoding<Int>.at(["small"], .int)
        let own = try await failure(body) { task in
            let json = try await task.json
            do {
                _ = try Decoding<Model>.codable.value(from: json)
                _ = try Decoding<Int>.oneOf([decoding]).value(from: json)
            } catch {
                throw ServiceError(thrown: error)
            }
            throw ServiceError(.undecodable)
        }
        for text in [plain, foundation, own].map({ "\($0)" }) {
            #expect(!text.contains("s3cret") && !text.contains("77777"), "\(text)")
        }
        #expect("\(plain)".hasSuffix("(GET http://service.test/a) [status 200]"))
    }

    @Test("The description states the expected value and its place")
    func words() async throws {
        let syntax = try await failure("{]s3cret") { _ = try await $0.json }
        #expect("\(syntax)".contains("line 1, column 2 (byte 1): expected"))
        let enumeration = try await failure(#"{"color": "s3cret"}"#) {
            _ = try await $0.decoded(as: Model.self)
        }
        #expect("\(enumeration)".contains("Cannot initialize Color from invalid String"))
        #expect("\(enumeration)".contains("color"))
        let number = ServiceError(
            thrown: DecodingFailure(expected: "integer within Int8's range", found: "number 77777"))
        #expect("\(number)".contains("$: expected integer within Int8's range, found number"))
        #expect(!"\(number)".contains("77777"))
    }

    @Test("The description has no user, no secret query item and no item that the service redacts")
    func urls() async throws {
        var service = WebService.test(
            ManualDataSource(answersInResume: { $0.complete(error: URLError(.timedOut)) }),
            base: "http://u:s3cret@service.test")
        service.logRedaction = .standard.adding(["pin"])
        let failure = await service.GET("/a?access_token=s3cret&pin=s3cret&b=1").failure
        let text = try #require(failure.map { "\($0)" })
        #expect(text.contains("(GET http://service.test/a?access_token=<redacted>&pin=<redacted>&b=1)"))
        #expect(!text.contains("s3cret"))
        let invalid = await WebService.test(ManualDataSource(), base: "u:s3cret@service.test").GET("/")
            .failure
        #expect(invalid?.reason == .invalidURL)
        #expect(!"\(try #require(invalid))".contains("s3cret"))
    }
}

extension ServiceTask {
    fileprivate var failure: ServiceError? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}
