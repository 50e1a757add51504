import Foundation
import Swallow
import TestSupport
import Testing

/// Appends its name to a text.
struct Footprint: ResponseTransformer {
    let description: String

    init(_ name: String) { description = name }

    func process(_ outcome: Outcome) -> Outcome {
        outcome.map { entity in
            let trail = entity.content as? String ?? ""
            return entity.withContent("\(trail)\(description) ")
        }
    }
}

extension PipelineStageKey {
    fileprivate static let extra = PipelineStageKey(description: "extra")
}

@Suite("Pipelines: stages and their order")
struct PipelineTests {
    private func trail(_ configure: @escaping @Sendable (inout Pipeline) -> Void) async throws -> String {
        let source = ManualDataSource(answersInResume: { $0.answer("x", headers: [:]) })
        var service = WebService.test(source)
        service.configure { configuration in
            for key in [PipelineStageKey.cleanup, .model, .parsing, .decoding, .rawData] {
                configuration.pipeline[key].add(Footprint("\(key)"))
            }
            configure(&configuration.pipeline)
        }
        return try await service.GET("/").content(as: String.self)
    }

    @Test("Stages run in the order of their keys, whatever the order they were configured in")
    func defaultOrder() async throws {
        #expect(try await trail { _ in } == "rawData decoding parsing model cleanup ")
    }

    @Test("A stage of the app's own runs where its key stands")
    func customStage() async throws {
        let trail = try await trail { pipeline in
            pipeline[.extra].add(Footprint("first"))
            pipeline[.extra].add(Footprint("second"))
            pipeline.order = [.parsing, .extra, .rawData]
        }
        #expect(trail == "parsing first second rawData ")
    }

    @Test("Two keys of one description are two stages")
    func identity() async throws {
        let twin = PipelineStageKey(description: "extra")
        #expect(twin != .extra && twin == twin)
        let trail = try await trail { pipeline in
            pipeline[.extra].add(Footprint("extra"))
            pipeline[twin].add(Footprint("twin"))
            pipeline.order = [twin, .extra]
        }
        #expect(trail == "twin extra ")
    }

    @Test("Stages are emptied one by one or together")
    func clearing() async throws {
        #expect(try await trail { $0[.model].removeTransformers() } == "rawData decoding parsing cleanup ")
        #expect(
            try await trail {
                $0.clear()
                $0[.model].add(Footprint("only"))
            } == "only ")
        #expect(
            try await trail {
                $0.removeAllTransformers()
                $0[.rawData].add(Footprint("only"))
            } == "only ")
    }

    @Test("A stage that is configured but not in the order doesn't run, and is reported once")
    func leftOut() async throws {
        let events = Recorder<LogEvent>()
        let source = ManualDataSource(answersInResume: { $0.answer() })
        var service = WebService.test(source)
        service.log = { if case .misconfigured = $0 { events.append($0) } }
        service.configure { configuration in
            configuration.pipeline.order = [.rawData, .model]
            configuration.pipeline[.extra].add(Footprint("extra"))
        }
        service.configure("/other") { $0.headers["X"] = "y" }
        _ = await service.GET("/other").result
        for _ in 0..<3 { #expect(try await service.GET("/").content(as: Data.self) == Data("{}".utf8)) }
        #expect(
            events.values == [
                .misconfigured("the stage \"extra\" is configured but not in the pipeline's order"),
                .misconfigured("the stage \"parsing\" is configured but not in the pipeline's order"),
            ])
    }

    @Test("An order that drops the parsers and a rule's model is reported; a stage that was emptied isn't")
    func droppedStages() async throws {
        let problems = Recorder<String>()
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer() }))
        service.log = { if case .misconfigured(let problem) = $0 { problems.append(problem) } }
        service.configure("/a") { $0.pipeline.order = [.rawData, .extra, .cleanup] }
        service.configureTransformer("/a") { (entity: Entity<JSON>) in entity.content.count }
        service.configure("/b") { configuration in
            configuration.pipeline.order = [.rawData]
            configuration.pipeline[.parsing].removeTransformers()
        }
        _ = await service.GET("/b").result
        #expect(problems.values.isEmpty)
        for _ in 0..<2 { _ = await service.GET("/a").result }
        #expect(
            problems.values == [
                "the stage \"model\" is configured but not in the pipeline's order",
                "the stage \"parsing\" is configured but not in the pipeline's order",
            ])
    }

    @Test("A key that the order lists twice is dropped and reported, and never traps")
    func duplicates() async throws {
        let events = Recorder<LogEvent>()
        let source = ManualDataSource(answersInResume: { $0.answer("x", headers: [:]) })
        var service = WebService.test(source)
        service.log = { if case .misconfigured = $0 { events.append($0) } }
        service.configure { configuration in
            configuration.pipeline.order = [.parsing, .model, .cleanup, .model]
            configuration.pipeline[.model].add(Footprint("model"))
            configuration.pipeline[.cleanup].add(Footprint("cleanup"))
        }
        #expect(try await service.GET("/").content(as: String.self) == "model cleanup ")
        #expect(events.values == [.misconfigured("the pipeline's order lists the stage \"model\" twice")])
    }

    @Test("A pipeline is configured by path and method")
    func scope() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("x", headers: [:]) })
        var service = WebService.test(source)
        service.configure("/a/*", methods: [.GET]) { $0.pipeline[.model].add(Footprint("a")) }
        #expect(try await service.GET("/a/1").content(as: String.self) == "a ")
        #expect(try await service.POST("/a/1").content(as: Data.self) == Data("x".utf8))
        #expect(try await service.GET("/b/1").content(as: Data.self) == Data("x".utf8))
    }
}
