import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if os(Linux) && canImport(Glibc)
    import CurlEngine

    @Suite("A CurlDataSource whose thread can't start", .enabled(if: CurlDataSource.isAvailable))
    struct CurlThreadStartTests {
        private let server: LoopbackServer
        private let isRefused = Lock(true)
        private let source: CurlDataSource

        init() throws {
            server = try LoopbackServer()
            source = CurlDataSource(
                .init(),
                EngineLoop(.init()) { [isRefused] body in
                    if isRefused.withLock({ $0 }) { throw POSIXError(.EAGAIN) }
                    try DetachedThread.start(body)
                })
        }

        @Test("Requests fail with a ServiceError, and later ones start the thread")
        func restart() async throws {
            let service = WebService.test(source, base: server.baseURLString)
            for _ in 0..<2 {
                let error = await service.GET("/bytes/10").finalError
                #expect(error?.code == .resourceUnavailable)
                #expect((error?.underlying as? POSIXError)?.code == .EAGAIN)
                let outcome = try await server.get("/bytes/10", source)
                #expect((outcome.error as? ServiceError)?.code == .resourceUnavailable)
            }
            #expect(server.requests.isEmpty)
            isRefused.withLock { $0 = false }
            #expect(try await service.GET("/bytes/10").data.count == 10)
            #expect(try await server.get("/bytes/10", source).data?.count == 10)
        }

        @Test("A cookie that is set before the thread can start is sent later")
        func cookies() async throws {
            try source.setCookie(.init(name: "a", value: "b", domain: "127.0.0.1"))
            #expect(await source.cookies.isEmpty)
            isRefused.withLock { $0 = false }
            #expect(await source.cookies.map(\.name) == ["a"])
        }

        @Test("The data source can be shut down, and then starts no thread", arguments: [1, 2])
        func shutDown(count: Int) async throws {
            for _ in 0..<count { await source.shutDown(within: .zero) }
            isRefused.withLock { $0 = false }
            #expect(try await server.get("/bytes/10", source).isCancelled)
        }

        @Test("The release of a data source doesn't wait forever for a thread that never ends")
        func lost() async throws {
            var source: CurlDataSource? = CurlDataSource(
                .init(), EngineLoop(.init(), endTimeout: .milliseconds(1)) { _ in })
            #expect(source?.loop.visitCookies { _ in } == true)
            try await onThread { [held = Lock(source.take())] in _ = held.withLock { $0.take() } }
            #expect(source == nil)
        }
    }
#endif
