import Foundation
import Swallow
import TestSupport
import Testing

@Suite("A task's log")
struct TaskLogTests {
    private func lines(_ path: Request.Path, status: Int = 200) async -> [String] {
        let events = Recorder<LogEvent>()
        let source = ManualDataSource(answersInResume: { $0.answer("[1]", status: status) })
        var service = WebService.test(source)
        service.log = { events.append($0) }
        service.configure {
            $0.headers[.authorization] = "secret"
            $0.pipeline[.model].cacheUsing(MemoryCache())
        }
        service.configureTransformer(description: "count") { (entity: Entity<JSON>) in entity.content.count }
        _ = await service.GET(path, options: [.cachePolicy(.preferCache(maxAge: .seconds(9)))]).result
        return events.values.map { event in
            switch event {
            case .requestBuilt(let request): "built \(request.headers[.authorization] ?? "")"
            case .requestSent: "sent"
            case .retry(_, let attempt, _, _): "retry \(attempt)"
            case .responseReceived(_, let response): "received \(response.statusCode) \(response.byteCount)"
            case .stageRun(_, let stage, let transformer, _, _): "\(stage) \(transformer)"
            case .cacheHit(_, let stage): "hit \(stage)"
            case .cacheUsed(_, let use, let stage, _): "used \(stage) \(use)"
            case .cacheMiss(_, let stage): "miss \(stage)"
            case .cacheWrite(_, let stage): "wrote \(stage)"
            case .cacheSkipped: "skipped"
            case .cancelled: "cancelled"
            case .failed(_, let reason): "failed \(reason.prefix(18))"
            case .misconfigured(let text): text
            }
        }
    }

    @Test("A task's events are logged in order, without secrets")
    func success() async {
        #expect(
            await lines("/a") == [
                "built <redacted>", "miss model", "sent", "received 200 3", "parsing json", "parsing text",
                "model count", "wrote model",
            ])
    }

    @Test("A failure is logged once")
    func failure() async {
        #expect(
            await lines("/a", status: 404) == [
                "built <redacted>", "miss model", "sent", "received 404 3", "parsing json", "parsing text",
                "model count", "failed unacceptableStatus",
            ])
    }

    @Test("A request that can't be sent is logged")
    func invalid() async {
        let events = Recorder<String>()
        var service = WebService.test(ManualDataSource())
        service.log = { events.append("\($0)") }
        _ = await service.GET("/\("..")").result
        #expect(events.values.count == 1)
        #expect(events.values.first?.contains("failed: invalidURL") == true)
    }

    @Test("A parser that runs lazily is logged once, with the failure that it causes")
    func lazyParsers() async {
        let events = Recorder<String>()
        let ended = Event()
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer("{") }))
        service.log = { event in
            switch event {
            case .stageRun(_, let stage, let transformer, _, _): events.append("\(stage) \(transformer)")
            case .failed: events.append("failed")
            default: break
            }
        }
        service.GET("/")
            .responseJSON(.utility) { _ in }
            .responseJSON(.utility) { _ in }
            .responseError(.utility) { _ in ended.happen() }
        await ended.wait()
        #expect(events.values == ["parsing json", "failed"])
    }

    @Test("An error that isn't the task's failure isn't logged")
    func otherFailure() async {
        let events = Recorder<String>()
        let box = Lock<ServiceTask?>(nil)
        var service = WebService.test(ManualDataSource())
        service.startTasksImmediately = false
        service.log = { if case .failed = $0 { events.append("\($0)") } }
        service.configure { configuration in
            configuration.adaptRequest { _ in
                box.withLock { $0 }?.cancel()
                throw AppError()
            }
        }
        let task = service.GET("/")
        box.withLock { $0 = task }
        _ = await task.result
        box.withLock { $0 = nil }
        #expect(events.values.isEmpty)
    }

    @Test("A sent task that is cancelled is logged as cancelled once, and an unsent one isn't")
    func cancelled() async {
        let underWay = Lock<Set<Int>>([])
        let (events, source) = (Recorder<String>(), ManualDataSource())
        var service = WebService.test(source)
        service.log = { event in
            guard let id = event.request?.id else { return }
            switch event {
            case .requestSent: underWay.withLock { _ = $0.insert(id) }
            case .responseReceived, .failed, .cancelled: underWay.withLock { _ = $0.remove(id) }
            default: break
            }
            if case .cancelled = event {
                events.append("\(event.level) \(event.description.hasSuffix(" cancelled"))")
            }
        }
        let tasks = (0..<3).map { service.GET("/\($0)") }
        _ = await source.exchanges.first(3)
        #expect(underWay.withLock { $0.count } == 3)
        tasks[0].cancel()
        tasks[0].cancel()
        _ = await tasks[0].result
        #expect(underWay.withLock { $0.count } == 2)
        #expect(events.values == ["info true"])
        service.startTasksImmediately = false
        let unsent = service.GET("/unsent")
        unsent.cancel()
        _ = await unsent.result
        for task in tasks.dropFirst() { task.cancel() }
        for task in tasks { _ = await task.result }
        #expect(underWay.withLock { $0.isEmpty })
        #expect(events.values.count == 3)
    }

    @Test("Each task has its own number")
    func numbers() async {
        let numbers = Recorder<Int?>()
        let source = ManualDataSource(answersInResume: { $0.answer() })
        var service = WebService.test(source)
        service.log = { numbers.append($0.request?.id) }
        for _ in 0..<2 { _ = await service.GET("/").result }
        #expect(Set(numbers.values).count == 2 && !numbers.values.contains(nil))
    }
}
