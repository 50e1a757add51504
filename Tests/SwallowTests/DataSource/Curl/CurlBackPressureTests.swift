#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("Backpressure of CurlDataSource", .serialized)
    struct CurlBackPressureTests {
        private let source = CurlDataSource()
        /// The number of bytes that the server had sent when the client accepted no more.
        private let sent = Recorder<Int>()

        /// A server of one long body. It records when the client accepts no more bytes, and sends the rest
        /// when it does again.
        private func longBody(_ size: Int) throws -> RawServer {
            try RawServer { [sent] connection in
                guard connection.receiveHead() != nil else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                let first = connection.sendUntilStuck(size)
                sent.append(first)
                var left = size - first
                while left > 0, connection.send([UInt8](repeating: 0, count: min(left, 64 * 1024))) {
                    left -= min(left, 64 * 1024)
                }
                connection.waitForEnd()
            }
        }

        /// Returns a call whose receiver suspends the task when the first bytes arrive.
        private func suspending(_ request: URLRequest) async -> StreamCall {
            let (task, hasSuspended) = (Lock<(any DataTask)?>(nil), Event())
            let call = StreamCall(request, source) { part in
                guard case .bytes = part, let task = task.withLock({ $0.take() }) else { return }
                task.suspend()
                hasSuspended.happen()
            }
            task.withLock { $0 = call.task }
            call.streaming().task.resume()
            await hasSuspended.wait()
            return call
        }

        @Test("A suspended task pauses the server")
        func suspendedReader() async throws {
            let server = try longBody(256 * 1024 * 1024)
            let call = await suspending(try server.request())
            // The system's buffers hold some megabytes.
            #expect(await sent.first(1)[0] < 64 * 1024 * 1024)
            #expect(call.streamed.count < 2 * 1024 * 1024)
            #expect(call.problems == [])
            call.task.cancel()
            #expect(await call.outcome.isCancelled)
        }

        @Test("A receiver that is busy pauses the server")
        func busyReceiver() async throws {
            let (server, mayContinue) = (try longBody(256 * 1024 * 1024), DispatchSemaphore(value: 0))
            let call = StreamCall(try server.request(), source) { part in
                if case .bytes = part { mayContinue.wait() }
            }
            call.streaming().task.resume()
            #expect(await sent.first(1)[0] < 64 * 1024 * 1024)
            call.task.cancel()
            mayContinue.signal()
            #expect(await call.outcome.isCancelled)
            #expect(call.problems == [])
        }

        /// 256 KiB and one body part. A body part is delivered once it has 64 KiB, and libcurl adds at most 16 KiB at a
        /// time.
        private static let waitingLimit = (256 + 64 + 16) * 1024

        @Test(
            "At most 256 KB and one body part wait for a slow handler",
            .timeLimit(.minutes(10)))
        func waitingBytes() async throws {
            let size = 32 * 1024 * 1024
            let server = try longBody(size)
            let base = try #require(server.request().url?.absoluteString)
            var service = WebService(baseURLString: base, dataSource: source)
            service.startTasksImmediately = false
            let (isStuck, mayContinue) = (Event(), DispatchSemaphore(value: 0))
            let counts = Lock((read: 0, most: 0))
            let started = Lock<ServiceTask?>(nil)
            let task = service.GET("").responseStream(DispatchQueue(label: "reader")) { part in
                let received = Int(started.withLock { $0 }?.progress.received ?? 0)
                let isFirst = counts.withLock { counts in
                    counts.read += part.count
                    counts.most = max(counts.most, received - counts.read)
                    return counts.read == part.count
                }
                if !isFirst { return }
                isStuck.happen()
                mayContinue.wait()
            }
            started.withLock { $0 = task }
            // The progress is counted from the first time that it is read.
            _ = task.progress
            task.resume()
            await isStuck.wait()
            #expect(await sent.first(1)[0] < size)
            let waiting = Int(task.progress.received) - counts.withLock { $0.read }
            mayContinue.signal()
            _ = try await task.data
            started.withLock { $0 = nil }
            let (read, most) = counts.withLock { $0 }
            #expect(read == size)
            #expect(max(waiting, most) <= Self.waitingLimit)
        }

        @Test("A full sink pauses the response's body, and the request's body continues")
        func uploadWhileSinkIsFull() async throws {
            let (size, uploaded) = (32 * 1024 * 1024, Recorder<Int>())
            let server = try RawServer { [sent] connection in
                guard connection.receiveHead() != nil else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                sent.append(connection.sendUntilStuck(size))
                uploaded.append(connection.receive(size)?.count ?? 0)
                connection.waitForEnd()
            }
            let base = try #require(server.request().url?.absoluteString)
            let mayContinue = DispatchSemaphore(value: 0)
            let task = WebService(baseURLString: base, dataSource: source)
                .POST("", options: [.body(Data(count: size), contentType: "application/octet-stream")])
                .responseStream(DispatchQueue(label: "reader")) { _ in mayContinue.wait() }
            #expect(await sent.first(1)[0] < size)
            #expect(await uploaded.first(1) == [size])
            task.cancel()
            mayContinue.signal()
            #expect(await task.error?.isCancelled == true)
        }

        @Test("While nobody reads the response, the request's body is sent, also after a suspension")
        func uploadWhileBodyIsUnread() async throws {
            let size = 32 * 1024 * 1024
            let (uploaded, mayReceive) = (Recorder<Int>(), DispatchSemaphore(value: 0))
            let server = try RawServer { [sent] connection in
                guard connection.receiveHead() != nil else { return }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                sent.append(connection.sendUntilStuck(size))
                mayReceive.wait()
                uploaded.append(connection.receive(size)?.count ?? 0)
                connection.waitForEnd()
            }
            let base = try #require(server.request().url?.absoluteString)
            let task = WebService(baseURLString: base, dataSource: source)
                .POST("", options: [.body(Data(count: size), contentType: "application/octet-stream")])
            let body = task.body
            _ = try await body.head
            #expect(await sent.first(1)[0] < size)
            task.suspend()
            task.resume()
            mayReceive.signal()
            #expect(await uploaded.first(1) == [size])
            task.cancel()
            #expect(await task.error?.isCancelled == true)
            withExtendedLifetime(body) {}
        }

        @Test(
            "Less than 1 MB waits for a reader while a thread is stuck inside resume()",
            .timeLimit(.minutes(10)))
        func stuckInResume() async throws {
            let size = 64 * 1024 * 1024
            let (isStuck, mayContinue) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let server = try longBody(size)
            let base = try #require(server.request().url?.absoluteString)
            var service = WebService(baseURLString: base, dataSource: StuckTransfers(source, isStuck))
            service.startTasksImmediately = false
            let (started, read) = (Lock<ServiceTask?>(nil), Lock(0))
            let task = service.GET("").responseStream(DispatchQueue(label: "reader")) { part in
                // The progress is counted from the first time that it is read.
                _ = started.withLock { $0.take() }?.progress
                mayContinue.wait()
                mayContinue.signal()
                read.withLock { $0 += part.count }
            }
            started.withLock { $0 = task }
            Thread.detachNewThread { task.resume() }
            #expect(await sent.first(1)[0] < size / 2)
            #expect(task.progress.received < 1024 * 1024)
            isStuck.signal()
            mayContinue.signal()
            _ = try await task.data
            #expect(read.withLock { $0 } == size)
        }
    }

    /// Transfers over libcurl. The first `start(inParts:)` of each one returns only after a semaphore is signaled.
    private final class StuckTransfers: TransferSource, SizedDataSource {
        private let base: CurlDataSource
        private let isStuck: DispatchSemaphore

        init(_ base: CurlDataSource, _ isStuck: DispatchSemaphore) {
            (self.base, self.isStuck) = (base, isStuck)
        }

        var redirectPolicy: RedirectPolicy { base.redirectPolicy }
        var attemptTimeout: Duration? { base.attemptTimeout }
        var openAttempts: OpenAttempts { base.openAttempts }
        var maximumBodySize: Int { base.maximumBodySize }

        func transfer(for request: URLRequest) -> any Transfer {
            StuckTransfer(base.transfer(for: request), isStuck)
        }

        func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            base.dataTask(with: request, completion: completion)
        }
    }

    private final class StuckTransfer: Transfer {
        private let base: any Transfer
        private let isStuck: Lock<DispatchSemaphore?>

        init(_ base: any Transfer, _ isStuck: DispatchSemaphore) {
            (self.base, self.isStuck) = (base, Lock(isStuck))
        }

        func start(inParts: Bool, for receiver: TransferReceiver) {
            base.start(inParts: inParts, for: receiver)
            isStuck.withLock { $0.take() }?.wait()
        }

        func deliverParts() { base.deliverParts() }
        func setPause(_ pause: TransferPause) { base.setPause(pause) }
        func answer(_ answer: HeadAnswer) { base.answer(answer) }
        func cancel() { base.cancel() }
        func fail(with error: any Error, for receiver: TransferReceiver) {
            base.fail(with: error, for: receiver)
        }
        var facts: TransferFacts { base.facts }
    }
#endif
