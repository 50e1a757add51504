import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The exchange that follows redirects: the exchange of the service's task, or of the data source below an
/// adapter.
private enum Path: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case direct, adapted

    var testDescription: String { rawValue }

    func source(_ contestant: Contestant, _ policy: RedirectPolicy) -> any SessionDataTaskDataSource {
        let source = contestant.source(redirects: policy)
        return self == .direct ? source : source.degraded()
    }
}

@Suite("Attempts of a request and their redirects")
struct AttemptsAndRedirectsTests {
    private let clock = ManualClock()
    /// The responses of `/b`, in order. The server stalls if the next one is `nil`, and after the last one.
    private let answers = Lock<[LoopbackServer.Response?]>([])
    private let answered = Recorder<Void>()
    private let server: LoopbackServer

    init() throws {
        let (answers, answered) = (answers, answered)
        server = try LoopbackServer { request in
            guard request.path == "/b" else { return .respond(.redirect(to: "/b", status: 303)) }
            let answer: LoopbackServer.Response? = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            answered.append(())
            return answer.map { .respond($0) } ?? .stall
        }
    }

    private func service(
        _ contestant: Contestant, _ path: Path, _ policy: RedirectPolicy = .follow()
    ) -> WebService {
        var service = WebService(
            baseURLString: server.baseURLString, dataSource: path.source(contestant, policy))
        service.clock = clock
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
            // The time without a byte is measured in real time, and a minute passes easily on a busy machine.
            $0.adaptRequest { $0.timeoutInterval = 3600 }
        }
        return service
    }

    private var requests: [String] { server.requests.map { "\($0.method) \($0.path)" } }

    @Test(
        "A retry starts with the request before its redirects, with its method and a new count of redirects",
        arguments: Contestant.transports, Path.allCases)
    private func again(contestant: Contestant, path: Path) async throws {
        answers.withLock { $0 = [.text("no", status: 503), .text("no", status: 503), .text("yes")] }
        let task = service(contestant, path, .follow(max: 1)).PUT("/a", parameters: ["x": 1])
        #expect(try await task.text == "yes")
        #expect(requests == ["PUT /a", "GET /b", "PUT /a", "GET /b", "PUT /a", "GET /b"])
        if let metrics = task.metrics {
            #expect(metrics.attempts == 3)
            #expect(metrics.redirects == 1)
            #expect(metrics.followedRedirects.map(\.head.statusCode) == [303])
        }
    }

    @Test(
        "POST isn't retried after a redirect", arguments: Contestant.transports,
        Path.allCases)
    private func post(contestant: Contestant, path: Path) async throws {
        answers.withLock { $0 = [.text("no", status: 503), .text("yes")] }
        let error = await service(contestant, path).POST("/a", parameters: ["x": 1]).finalError
        #expect(error?.statusCode == 503)
        #expect(requests == ["POST /a", "GET /b"])
    }

    @Test(
        "An attempt with too many redirects fails and isn't retried",
        arguments: Contestant.transports, Path.allCases)
    private func tooMany(contestant: Contestant, path: Path) async throws {
        let error = await service(contestant, path, .follow(max: 0)).GET("/a").finalError
        #expect(error?.reason == .transport(URLError(.httpTooManyRedirects)))
        #expect(requests == ["GET /a"])
    }

    @Test(
        "A redirect that isn't followed is the response, and is passed to the retry policy",
        arguments: Contestant.transports, Path.allCases)
    private func notFollowed(contestant: Contestant, path: Path) async throws {
        let seen = Recorder<Int?>()
        var service = service(contestant, path, .doNotFollow)
        service.configure {
            $0.retry.decide = { attempt in
                seen.append(attempt.response?.statusCode)
                return attempt.retries == 0 ? .zero : nil
            }
        }
        #expect(await service.GET("/a").finalError?.statusCode == 303)
        #expect(seen.values == [303, 303])
        #expect(requests == ["GET /a", "GET /a"])
    }

    @Test(
        "A streamed body is the body of the last redirect of the last attempt",
        arguments: Contestant.transports,
        Path.allCases)
    private func streamed(contestant: Contestant, path: Path) async throws {
        answers.withLock { $0 = [.text("no", status: 503), .text("yes")] }
        var parts: [String] = []
        for try await part in service(contestant, path).GET("/a").body {
            parts.append(String(decoding: part, as: UTF8.self))
        }
        #expect(parts.joined() == "yes")
        #expect(requests == ["GET /a", "GET /b", "GET /a", "GET /b"])
    }

    @Test(
        "A task that is suspended during a redirect follows it after it is resumed",
        arguments: Path.allCases)
    private func suspended(path: Path) async throws {
        for contestant in Contestant.transports {
            let task = Lock<ServiceTask?>(nil)
            let (judged, stream) = (Recorder<Void>(), server)
            let resumed = DispatchSemaphore(value: 0)
            answers.withLock { $0 = [.text("yes")] }
            var service = service(
                contestant, path,
                .custom { _, proposed in
                    // A data task receives one call at a time, so the test suspends it only after the first resume.
                    resumed.wait()
                    task.withLock { $0 }?.suspend()
                    judged.append(())
                    return proposed
                })
            service.startTasksImmediately = false
            let made = service.GET("/a")
            task.withLock { $0 = made }
            made.resume()
            resumed.signal()
            _ = await judged.first(1)
            #expect(made.state == .suspended)
            made.resume()
            #expect(try await made.text == "yes")
            task.withLock { $0 = nil }
            withExtendedLifetime(stream) {}
        }
    }

    @Test("If a task is cancelled during a redirect, nothing more is sent", arguments: Path.allCases)
    private func cancelled(path: Path) async throws {
        for contestant in Contestant.transports {
            let task = Lock<ServiceTask?>(nil)
            let sent = requests.count
            let resumed = DispatchSemaphore(value: 0)
            var service = service(
                contestant, path,
                .custom { _, proposed in
                    // A data task receives one call at a time, so the test cancels it only after the first resume.
                    resumed.wait()
                    task.withLock { $0 }?.cancel()
                    return proposed
                })
            service.startTasksImmediately = false
            let made = service.GET("/a")
            task.withLock { $0 = made }
            made.resume()
            resumed.signal()
            #expect(await made.finalError?.reason == .cancelled)
            task.withLock { $0 = nil }
            #expect(requests.count == sent + 1)
        }
    }

    #if os(Linux) && canImport(Glibc)
        @Test(
            "The data source's timeout applies to each attempt and starts again with the next one",
            arguments: Path.allCases)
        private func timeLimit(path: Path) async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(10)
            let source = CurlDataSource(configuration: configuration)
            var service = service(.curl, path)
            service.dataSource = path == .direct ? source : source.degraded()
            // The first attempt stalls after its redirect.
            answers.withLock { $0 = [nil, .text("yes")] }
            let task = service.GET("/a")
            _ = await answered.first(1)
            clock.advance(by: .seconds(10))
            #expect(try await task.text == "yes")
            #expect(requests == ["GET /a", "GET /b", "GET /a", "GET /b"])
            // A data source below an adapter cancels its timer after it has delivered the response.
            await until { clock.pending == 0 }
        }

        @Test(
            "If the timeout passes during a redirect, the attempt fails and the redirect isn't followed",
            arguments: Path.allCases)
        private func timeLimitAtRedirect(path: Path) async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(10)
            configuration.redirectPolicy = .custom { [clock] _, proposed in
                clock.advance(by: .seconds(10))
                return proposed
            }
            let source = CurlDataSource(configuration: configuration)
            var service = WebService(
                baseURLString: server.baseURLString,
                dataSource: path == .direct ? source : source.degraded())
            service.clock = clock
            #expect(await service.GET("/a").finalError?.reason == .timedOut)
            #expect(requests == ["GET /a"])
        }

        @Test(
            "A task can hold the last reference to its data source",
            arguments: Path.allCases)
        private func lastReference(path: Path) async throws {
            let judged = Recorder<Void>()
            let mayContinue = DispatchSemaphore(value: 0)
            answers.withLock { $0 = [.text("yes")] }
            let task: ServiceTask
            do {
                let source = path.source(
                    .curl,
                    .custom { _, proposed in
                        judged.append(())
                        mayContinue.wait()
                        return proposed
                    })
                task = WebService(baseURLString: server.baseURLString, dataSource: source).GET("/a")
            }
            _ = await judged.first(1)
            mayContinue.signal()
            #expect(try await task.text == "yes")
        }
    #endif
}
