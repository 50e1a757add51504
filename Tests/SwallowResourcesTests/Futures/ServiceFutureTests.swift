import Dispatch
import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("A service future")
struct ServiceFutureTests {
    @Test("sends nothing before it is started, and sends anew at each start")
    func cold() async throws {
        let backend = Backend(Member.json)
        let calls = Recorder<Bool>()
        let future = backend.service.future(as: Member.self) { service in
            calls.append(service.startTasksImmediately)
            return service.GET("/users/7")
        }
        #expect(calls.values.isEmpty)
        #expect(try await future.value == .ada)
        #expect(try await future.result.get() == .ada)
        #expect(backend.sent == ["GET /users/7", "GET /users/7"])
        #expect(calls.values == [false, false])
    }

    @Test("gives raw data, whatever it is, and an entity with the head's fields")
    func data() async throws {
        let headers = ["Content-Type": "image/x-own", "ETag": "7"]
        let service = Backend("not json", status: 201, headers: headers).service
        let data = Data("not json".utf8)
        #expect(try await service.future(as: Data.self) { $0.GET("/") }.value == data)
        let entity = try await service.future(as: Entity<Data>.self) { $0.GET("/") }.value
        #expect(entity.content == data && entity.statusCode == 201)
        #expect(entity.contentType == "image/x-own" && entity.headers["ETag"] == "7")
        let results = Recorder<Data>()
        service.future(as: Data.self) { $0.GET("/") }.start(.utility) { result in
            if case .success(let data) = result { results.append(data) }
        }
        #expect(await results.first(1) == [data])
    }

    @Test("gives a decoded value with the head's fields")
    func entity() async throws {
        let service = Backend(Member.json, headers: ["ETag": "7"]).service
        let entity = try await service.future(as: Entity<Member>.self) { $0.GET("/") }.value
        #expect(entity.content == .ada && entity.headers["ETag"] == "7")
        let failure = await service.future(as: Entity<[Member]>.self) { $0.GET("/") }.failure
        #expect(failure?.reason == .undecodable)
    }

    @Test("hands its outcome to the main actor, and its Swift task ends after that")
    @MainActor
    func startOnMainActor() async {
        var results: [Result<Member, ServiceError>] = []
        let task = Backend(Member.json).service.future(as: Member.self) { $0.GET("/") }
            .start { result in results.append(result) }
        #expect(results.isEmpty)
        await task.finished()
        #expect(results.count == 1)
        #expect(throws: Never.self) { try results.first?.get() }
    }

    @Test("hands its outcome to a queue named first")
    func startOnQueue() async {
        let queue = DispatchQueue(label: "future")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let places = Recorder<Bool>()
        await ServiceFuture(value: 1).start(queue) { _ in
            places.append(DispatchQueue.getSpecific(key: key) == true)
        }.finished()
        #expect(places.values == [true])
    }

    @Test("is made of a value, an error or an operation")
    func initialisers() async throws {
        #expect(try await ServiceFuture(value: 3).value == 3)
        let unavailable = ServiceFuture<Int>(error: ServiceError(.timedOut))
        #expect(await unavailable.failure?.reason == .timedOut)
        let foreign = ServiceFuture<Int>(error: AppError(code: 4))
        #expect(await foreign.failure?.underlying as? AppError == AppError(code: 4))
        let runs = Recorder<Int>()
        let operation = ServiceFuture {
            runs.append(1)
            await Task.yield()
            return "done"
        }
        #expect(runs.values.isEmpty)
        #expect(try await operation.value == "done")
        let failing = ServiceFuture<Int> { throw AppError() }
        #expect(await failing.failure?.reason == .thrown)
    }

    @Test("maps its value; what the closure throws is the failure")
    func map() async throws {
        let one = ServiceFuture(value: 1)
        #expect(try await one.map { $0 + 1 }.map { "\($0)" }.value == "2")
        let failing = one.map { (_: Int) throws -> Int in throw AppError(code: 2) }.map { $0 + 1 }
        #expect(await failing.failure?.underlying as? AppError == AppError(code: 2))
    }

    @Test("maps its failure, to a service error or to one of the app's")
    func mapError() async throws {
        let failing = ServiceFuture<Int>(error: ServiceError(.timedOut))
        let worded = failing.mapError { error in
            var error = error
            error.userMessage = "Too slow."
            return error
        }
        #expect(await worded.failure?.userMessage == "Too slow.")
        #expect(await worded.failure?.reason == .timedOut)
        let own = failing.mapError { _ in AppError(code: 5) }
        #expect(await own.failure?.underlying as? AppError == AppError(code: 5))
        #expect(try await ServiceFuture(value: 1).mapError { _ in AppError() }.value == 1)
    }

    @Test("goes on with another future, unless it failed")
    func andThen() async throws {
        let backend = Backend { request in
            .init(body: request.url?.path == "/users/7" ? Member.json : #"["a", "b"]"#)
        }
        let service = backend.service
        let posts = Members(service: service).read(id: 7).andThen { user in
            service.future(as: [String].self) { $0.GET("/users/\(user.id)/posts") }
        }
        #expect(try await posts.value == ["a", "b"])
        #expect(backend.sent == ["GET /users/7", "GET /users/7/posts"])

        let steps = Recorder<Int>()
        let failing = ServiceFuture<Int>(error: AppError()).andThen { value in
            steps.append(value)
            return ServiceFuture(value: value)
        }
        #expect(await failing.failure?.reason == .thrown)
        #expect(steps.values.isEmpty)
        let throwing = ServiceFuture(value: 1).andThen { (_: Int) throws -> ServiceFuture<Int> in
            throw AppError(code: 6)
        }
        #expect(await throwing.failure?.underlying as? AppError == AppError(code: 6))
    }

    @Test("recovers with a value or a future, or fails anew")
    func recover() async throws {
        let missing = Backend("", status: 404).service.future(as: [Int].self) { $0.GET("/list") }
        let empty = missing.recover { error in
            guard error.isNotFound else { throw error }
            return []
        }
        #expect(try await empty.value == [])
        let other = missing.recover { _ in ServiceFuture(value: [1]) }
        #expect(try await other.value == [1])
        let failing = missing.recover { (_: ServiceError) throws -> [Int] in throw AppError(code: 7) }
        #expect(await failing.failure?.underlying as? AppError == AppError(code: 7))
        #expect(await failing.failure?.request?.urlString == "http://service.test/list")
        #expect(try await ServiceFuture(value: [2]).recover { _ in [3] }.value == [2])
    }

    @Test("reads an answer by a decoding, or only its success")
    func readings() async throws {
        let service = Backend(#"{"user": {"name": "Ada"}}"#).service
        let name = service.future(with: .at(["user", "name"], .string)) { $0.GET("/") }
        #expect(try await name.value == "Ada")
        try await service.future { $0.DELETE("/users/7") }.value
        let refused: ServiceFuture<Void> = Backend("", status: 500).service.future { $0.DELETE("/users/7") }
        #expect(await refused.failure?.isServerError == true)
    }

    @Test("runs handlers that its request attached, and fails with what they throw")
    func handlers() async {
        let future = Backend(Member.json).service.future(as: Member.self) {
            $0.GET("/").response(.utility) { _, _ in throw AppError(code: 8) }
        }
        #expect(await future.failure?.underlying as? AppError == AppError(code: 8))
    }

    @Test("fails with what making the request throws")
    func throwingRequest() async {
        let backend = Backend()
        let future = backend.service.future(as: Member.self) { _ in throw AppError(code: 9) }
        #expect(await future.failure?.underlying as? AppError == AppError(code: 9))
        #expect(backend.sent.isEmpty)
    }

    @Test("runs its closures off the main actor when the main actor awaits it")
    @MainActor
    func offMainActor() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let isOnMain = try await ServiceFuture(value: 1).map { _ in
            DispatchQueue.getSpecific(key: key) == true
        }
        .value
        #expect(!isOnMain)
    }
}

@Suite("A service future of one request")
struct RequestFutureTests {
    @Test("hands failures to its handler, its request's own included")
    func failures() async {
        let reasons = Recorder<ServiceError.Reason>()
        let record: @Sendable (Result<Member, ServiceError>) -> Void = { result in
            if case .failure(let error) = result { reasons.append(error.reason) }
        }
        let missing = Backend("", status: 404).service
        await missing.future(as: Member.self) { $0.GET("/") }.start(.utility, record).finished()
        let broken = Backend("[]").service
        await broken.future(as: Member.self) { $0.GET("/") }.start(.utility, record).finished()
        await broken.future(with: .codable) { $0.GET("/") }.start(.utility, record).finished()
        await broken.future(as: Member.self) { _ in throw AppError() }.start(.utility, record).finished()
        #expect(reasons.values == [.unacceptableStatus, .undecodable, .undecodable, .thrown])
    }

    @Test("hands no value to the main actor after a cancel there")
    @MainActor
    func cancel() async {
        let source = ManualDataSource(answersInResume: { $0.answer(Member.json) })
        var results: [Result<Member, ServiceError>] = []
        let started = Members(service: .test(source)).read(id: 7).start { results.append($0) }
        started.cancel()
        await started.finished()
        started.cancel()
        #expect(results.count == 1)
        #expect(throws: ServiceError.self) { try results.first?.get() }
    }

    @Test("ends once however the cancel meets its handlers")
    func races() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    let source = ManualDataSource(answersInResume: { $0.answer(Member.json) })
                    let results = Recorder<Void>()
                    let started = Members(service: .test(source)).read(id: 7).start(.utility) { _ in
                        results.append(())
                    }
                    started.cancel()
                    await started.finished()
                    return results.values.count
                }
            }
            for await count in group { #expect(count == 1) }
        }
    }
}
