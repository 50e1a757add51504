import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Pipelines: one run for each response")
struct ParseOnceTests {
    @Test("A hundred tasks, ten handlers and three awaits each: every transformer runs once for each task")
    func once() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("[1, 2]") })
        let parses = Recorder<Int>()
        let models = Recorder<Int>()
        let handled = Recorder<Int>()
        var service = WebService.test(source)
        service.configure { configuration in
            configuration.pipeline[.parsing].removeTransformers()
            configuration.pipeline[.parsing].add(
                ResponseContentTransformer { (entity: Entity<Data>) in
                    parses.append(1)
                    return try JSON(parsing: entity.content)
                })
        }
        service.configureTransformer { (entity: Entity<JSON>) in
            models.append(1)
            return try entity.content.decode([Int].self)
        }
        let shared = service
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let task = shared.GET("/\(number)")
                    for index in 0..<10 {
                        switch index % 3 {
                        case 0: task.responseJSON(.utility) { handled.append($0.count) }
                        case 1: task.responseContent(.background, as: [Int].self) { handled.append($0.count) }
                        default: task.response(.userInitiated) { handled.append($1.count - 4) }
                        }
                    }
                    async let json = task.json
                    async let model = task.content(as: [Int].self)
                    async let decoded = task.decoded(as: [Int].self)
                    let values = try await (json, model, decoded)
                    #expect(values.0 == [1, 2] && values.1 == [1, 2] && values.2 == [1, 2])
                }
            }
            try await group.waitForAll()
        }
        #expect(await handled.first(1000) == Array(repeating: 2, count: 1000))
        #expect(parses.values.count == 100 && models.values.count == 100)
    }

    @Test("JSON after a model is the parsing stage's, not parsed again")
    func jsonAfterModel() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("no JSON at all") })
        var service = WebService.test(source)
        service.configure { configuration in
            configuration.pipeline[.parsing].removeTransformers()
            configuration.pipeline[.parsing].add(
                ResponseContentTransformer { (_: Entity<Data>) in ["a": 1] as JSON })
        }
        service.configureTransformer { (_: Entity<JSON>) in URL(filePath: "/model") }
        let task = service.GET("/")
        #expect(try await task.json == ["a": 1])
        #expect(try await task.data == Data("no JSON at all".utf8))
        #expect(try await task.content(as: URL.self).path() == "/model")
    }

    @Test("Parsing on demand starts from the last bytes that a stage made; response gets those received")
    func decrypted() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("]1[", headers: [:]) })
        var service = WebService.test(source)
        service.configureTransformer(atStage: .rawData) { (entity: Entity<Data>) in
            Data(entity.content.reversed())
        }
        let task = service.GET("/")
        #expect(try await task.json == [1])
        #expect(try await task.text == "[1]")
        #expect(try await task.decoded(as: [Int].self) == [1])
        #expect(try await task.data == Data("]1[".utf8))
    }

    @Test("Transformers run off the main queue, also where all handlers are on it")
    @MainActor func offMain() async {
        DispatchQueue.main.setSpecific(key: QueueProbe.key, value: true)
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let places = Recorder<Bool>()
        var service = WebService.test(source)
        service.configureTransformer { (entity: Entity<JSON>) in
            places.append(QueueProbe.isOnMainQueue)
            return entity.content
        }
        service.GET("/").response { _, _ in places.append(QueueProbe.isOnMainQueue) }
        #expect(await places.first(2) == [false, true])
    }

    @Test("A pipeline with more than parsers runs without a handler, too")
    func withoutHandlers() async {
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let ran = Event()
        var service = WebService.test(source)
        service.configureTransformer { (entity: Entity<JSON>) in
            ran.happen()
            return entity.content
        }
        _ = service.GET("/")
        await ran.wait()
    }

    @Test("A task cancelled while its pipeline runs ends in cancelled, and its handlers are passed over")
    func cancelledMeanwhile() async {
        let source = ManualDataSource()
        let (running, reasons) = (Recorder<ServiceTask>(), Recorder<ServiceError.Reason>())
        var service = WebService.test(source)
        service.configureTransformer { (entity: Entity<JSON>) in
            running.values.first?.cancel()
            return entity.content
        }
        let task = service.GET("/")
            .responseJSON(.utility) { _ in Issue.record("called") }
            .responseError(.utility) { reasons.append($0.reason) }
        running.append(task)
        await source.exchange.answer()
        #expect(await reasons.first(1) == [.cancelled])
    }
}
