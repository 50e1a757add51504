import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("adaptRequest")
struct AdaptRequestTests {
    @Test("Closures run for each request when it starts, in the order added")
    func eachRequest() async {
        let source = ManualDataSource()
        let runs = Recorder<Int>()
        var service = WebService.idle("http://h", source)
        service.configure {
            $0.adaptRequest { request in
                runs.append(1)
                request.setValue("token \(runs.values.count)", forHTTPHeaderField: "Authorization")
            }
        }
        service.configure {
            $0.adaptRequest {
                $0.setValue(
                    ($0.value(forHTTPHeaderField: "Authorization") ?? "") + "!", forHTTPHeaderField: "X")
            }
        }
        let tasks = [service.GET("/1"), service.GET("/2")]
        #expect(runs.values.isEmpty)
        for task in tasks { task.resume().resume() }
        let requests = await source.exchanges.first(2).map(\.request)
        #expect(requests.map { $0.value(forHTTPHeaderField: "X") } == ["token 1!", "token 2!"])
        #expect(runs.values.count == 2)
    }

    @Test("A closure receives the complete request, and its changes are sent")
    func lastWord() async throws {
        let server = try LoopbackServer()
        var service = WebService(baseURLString: server.baseURLString)
        service.configure {
            $0.headers["X"] = "configured"
            $0.adaptRequest { request in
                #expect(request.value(forHTTPHeaderField: "X") == "option")
                #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
                request.setValue("adapted", forHTTPHeaderField: "x")
                request.httpBody = Data((request.httpBody ?? Data()).reversed())
            }
        }
        let echo = try await service.POST("/echo", options: [.json([1, 2]), .header("X", "option")]).json
        #expect(echo["headers"]["x"].string == "adapted")
        #expect(echo["body"].string == "]2,1[")
    }

    @Test("If a closure takes longer than the timeout, the request isn't sent")
    func timeoutMeanwhile() async {
        let source = ManualDataSource()
        let isOver = DispatchSemaphore(value: 0)
        var changed = WebService.test(source)
        changed.log = { if case .failed = $0 { isOver.signal() } }
        changed.configure {
            $0.timeout = .milliseconds(10)
            $0.adaptRequest { _ in _ = isOver.wait(timeout: .now() + 600) }
        }
        let service = changed
        // The closure blocks this thread.
        let task = await withCheckedContinuation { continuation in
            DispatchQueue(label: "caller").async { continuation.resume(returning: service.GET("/")) }
        }
        #expect(await task.result.failure?.reason == .timedOut)
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("If a closure throws, the task fails with its error and nothing is sent")
    func throwing() async {
        let source = ManualDataSource()
        let runs = Recorder<Int>()
        var service = WebService.test(source)
        service.configure {
            $0.adaptRequest { _ in throw AppError(code: 3) }
            $0.adaptRequest { _ in runs.append(1) }
        }
        guard case .failure(let error) = await service.GET("/").result else {
            Issue.record("the task succeeded")
            return
        }
        #expect(error.reason == .thrown)
        #expect(error.underlying as? AppError == AppError(code: 3))
        #expect(error.request?.urlString == "http://service.test/")
        #expect(runs.values.isEmpty)
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("A ServiceError or a cancellation that a closure throws keeps its reason")
    func throwingServiceErrors() {
        let errors: [(any Error, ServiceError.Reason)] = [
            (ServiceError(.timedOut), .timedOut), (CancellationError(), .cancelled),
        ]
        for (thrown, reason) in errors {
            var service = WebService.idle("http://h")
            service.configure { $0.adaptRequest { _ in throw thrown } }
            let error = failure { () throws(ServiceError) in try service.sent("/") }
            #expect(error?.reason == reason)
            #expect(error?.request != nil)
        }
    }

    struct Damage: Sendable {
        let reason: ServiceError.Reason
        let adapter: @Sendable (inout URLRequest) -> Void
    }

    static let damages = [
        Damage(reason: .invalidRequest) { $0.httpBody = Data([1]) },
        Damage(reason: .invalidRequest) { $0.httpBodyStream = InputStream(data: Data([1])) },
        Damage(reason: .invalidRequest) {
            $0.httpMethod = "HEAD"
            $0.httpBody = Data([1])
        },
        Damage(reason: .invalidURL) { $0.url = nil },
        Damage(reason: .invalidURL) { $0.url = URL(string: "ftp://h/x") },
        Damage(reason: .invalidURL) { $0.url = URL(string: "x") },
        Damage(reason: .invalidRequest) { $0.httpMethod = "G T" },
        Damage(reason: .invalidRequest) { $0.httpMethod = "GET\r\nX: y" },
        Damage(reason: .invalidRequest) { $0.allHTTPHeaderFields = ["A": "a\r\nX: y"] },
    ]

    @Test("A request that a closure has made invalid fails", arguments: damages)
    func damage(_ damage: Damage) {
        var service = WebService.idle("http://h")
        service.configure { $0.adaptRequest(damage.adapter) }
        let error = failure { () throws(ServiceError) in try service.sent("/") }
        #expect(error?.reason == damage.reason)
    }

    @Test("A closure can replace the request's URL and method")
    func replacement() throws {
        var service = WebService.idle("http://h")
        service.configure { configuration in
            configuration.adaptRequest {
                $0.url = URL(string: "https://signed.example/x?s=1")
                $0.httpMethod = "REPORT"
            }
        }
        let request = try service.sent("/")
        #expect(request.url?.absoluteString == "https://signed.example/x?s=1")
        #expect(request.httpMethod == "REPORT")
    }
}

@Suite("adaptRequest with async closures")
struct AsyncAdaptRequestTests {
    private let source = ManualDataSource()
    private let began = Event()

    /// Returns a service whose requests wait for the test before they are sent.
    private func service(_ mayContinue: Event, _ token: Token? = nil) -> WebService {
        var service = WebService.test(source)
        service.configure { [began] in
            $0.adaptRequest { request in
                withExtendedLifetime(token) { began.happen() }
                await mayContinue.wait()
                try Task.checkCancellation()
                request.setValue("late", forHTTPHeaderField: "X-Token")
            }
        }
        return service
    }

    @Test("Async and synchronous closures run once before the request is sent, in the order added")
    func completes() async throws {
        var service = WebService.test(source)
        service.configure { configuration in
            configuration.adaptRequest { $0.setValue("1", forHTTPHeaderField: "X") }
            configuration.adaptRequest { request in
                await Task.yield()
                request.setValue(
                    (request.value(forHTTPHeaderField: "X") ?? "") + "2", forHTTPHeaderField: "X")
            }
            configuration.adaptRequest {
                $0.setValue(($0.value(forHTTPHeaderField: "X") ?? "") + "3", forHTTPHeaderField: "X")
            }
        }
        let task = service.GET("/a")
        let exchange = await source.exchange
        #expect(exchange.request.value(forHTTPHeaderField: "X") == "123")
        exchange.answer()
        #expect(try await task.json == [:])
        #expect(source.exchanges.values.count == 1)
    }

    @Test("The task runs while a closure waits, and nothing is sent before the closure returns")
    func running() async throws {
        let mayContinue = Event()
        let task = service(mayContinue).GET("/a")
        await began.wait()
        #expect(task.state == .running)
        #expect(source.exchanges.values.isEmpty)
        mayContinue.happen()
        let exchange = await source.exchange
        #expect(exchange.request.value(forHTTPHeaderField: "X-Token") == "late")
        exchange.answer()
        _ = try await task.data
    }

    @Test("suspend() delays sending the request")
    func suspended() async throws {
        let mayContinue = Event()
        let task = service(mayContinue).GET("/a")
        await began.wait()
        task.suspend()
        mayContinue.happen()
        let exchange = await source.exchange
        #expect(exchange.calls.values.isEmpty)
        task.resume()
        #expect(await exchange.calls.first(1) == [.resume])
        exchange.answer()
        _ = try await task.data
    }

    @Test("cancel() completes the task immediately, and nothing is sent")
    func cancelled() async {
        let (mayContinue, isOver, isGone) = (Event(), Event(), Event())
        do {
            var service = WebService.test(source)
            let token = Token(isGone)
            service.configure { [began] in
                $0.adaptRequest { _ in
                    withExtendedLifetime(token) { began.happen() }
                    await withTaskCancellationHandler {
                        await mayContinue.wait()
                    } onCancel: {
                        isOver.happen()
                    }
                }
            }
            let task = service.GET("/a")
            await began.wait()
            task.cancel()
            #expect(await task.result.failure?.isCancelled == true)
        }
        await isOver.wait()
        mayContinue.happen()
        await isGone.wait()
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("The time that a closure takes counts for the timeout")
    func timeout() async {
        let (mayContinue, isGone) = (Event(), Event())
        do {
            let task = service(mayContinue, Token(isGone)).GET("/a", options: [.timeout(.milliseconds(10))])
            #expect(await task.result.failure?.reason == .timedOut)
        }
        mayContinue.happen()
        await isGone.wait()
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("If a closure throws or makes the request invalid, the task fails")
    func throwing() async {
        let adapters: [(ServiceError.Reason, @Sendable (inout URLRequest) async throws -> Void)] = [
            (.thrown, { _ in throw AppError(code: 3) }), (.cancelled, { _ in throw CancellationError() }),
            (.invalidURL, { $0.url = nil }),
        ]
        for (reason, adapter) in adapters {
            var service = WebService.test(source)
            service.configure { $0.adaptRequest(adapter) }
            guard case .failure(let error) = await service.GET("/a").result else {
                Issue.record("the task succeeded")
                continue
            }
            #expect(error.reason == reason)
            #expect(error.request?.urlString == "http://service.test/a")
        }
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("Caches look up the request as the closures changed it")
    func caches() async throws {
        let user = Lock("ada")
        let stub = ManualDataSource { $0.answer($0.request.value(forHTTPHeaderField: "Authorization") ?? "") }
        var service = WebService.test(stub)
        service.configure {
            $0.cachePolicy = .preferCache(maxAge: .seconds(1000))
            $0.pipeline[.rawData].cacheUsing(MemoryCache())
            $0.adaptRequest { request in
                await Task.yield()
                request.setValue(user.withLock { "\"\($0)\"" }, forHTTPHeaderField: "Authorization")
            }
        }
        #expect(try await service.GET("/a").json == "ada")
        user.withLock { $0 = "bob" }
        #expect(try await service.GET("/a").json == "bob")
        user.withLock { $0 = "ada" }
        #expect(try await service.GET("/a").result.get().isFromCache)
    }
}
