import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The pipeline adapter")
struct PipelineAdapterTests {
    private func adapter(
        _ body: String, contentType: String = "application/json", failure: ServiceError? = nil,
        _ pipeline: Pipeline = Pipeline(StandardTransformer.all)
    ) throws -> PipelineAdapter {
        let url = try #require(URL(string: "http://service.test"))
        let head = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": contentType]))
        let response = ReceivedResponse(
            head: ResponseHead(head), data: Data(body.utf8), timestamp: Date())
        return PipelineAdapter(response, failure: failure, PipelinePlan(pipeline))
    }

    @Test(
        "Preparing a result returns a copy that has it, and prepares it only once",
        arguments: [PipelineAdapter.Need.json, .text, .entity])
    func preparesOnce(_ need: PipelineAdapter.Need) throws {
        let adapter = try adapter("[1]")
        let prepared = adapter.prepared(for: need)
        #expect(!adapter.has(need) && prepared.has(need))
        #expect(prepared.prepared(for: need) === prepared)
    }

    @Test("Raw data needs no result, so nothing is parsed for it")
    func rawData() throws {
        let adapter = try adapter("[1]")
        #expect(adapter.prepared(for: .bytes) === adapter)
        #expect(try adapter.bytes() == Data("[1]".utf8))
        #expect(!adapter.has(.json) && !adapter.has(.entity))
    }

    @Test("The pipeline's content reuses the JSON that an earlier handler needed")
    func reusesJSON() throws {
        let adapter = try adapter("[1]").prepared(for: .json)
        #expect(adapter.parser(for: .entity) == nil)
        #expect(try adapter.prepared(for: .entity).entity().content is JSON)
    }

    @Test("A result that can't be computed is remembered as an error, with the response and the body")
    func remembersErrors() throws {
        let prepared = try adapter("[").prepared(for: .json)
        #expect(prepared.has(.json))
        let error = #expect(throws: ServiceError.self) { try prepared.json() }
        #expect(error?.reason == .unparsable)
        #expect(error?.response != nil && error?.entity?.content is Data)
    }

    @Test("The body of a failure goes through the pipeline like any other")
    func failureBody() throws {
        let failed = try adapter("[1]", failure: ServiceError(.unacceptableStatus))
        #expect(failed.prepared(for: .entity).errorEntity.content is JSON)
    }

    @Test("The stages are due before the handlers if the pipeline has transformers of an app, and only then")
    func neededStages() throws {
        var pipeline = Pipeline()
        pipeline[.model].add(
            ResponseContentTransformer(onInputTypeMismatch: .skip) { (entity: Entity<JSON>) in
                "\(entity.content)"
            })
        #expect(try adapter("[1]", pipeline).needsPipeline)
        #expect(try !adapter("[1]").needsPipeline)
    }
}
