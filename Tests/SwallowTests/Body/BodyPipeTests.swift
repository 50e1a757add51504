import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("A body on its way to its sender")
struct BodyPipeTests {
    @Test("The end that follows the last byte wakes the sender, however late it comes")
    func lateEnd() async throws {
        let parts = ManualParts()
        let readiness = Recorder<Int>()
        let pipe = try BodyPipe(
            .parts(parts.sequence, length: 3), run: { $0() }, onReady: { readiness.append(1) })
        pipe.start()
        defer { pipe.cancel() }
        #expect(take(pipe) == "later")
        parts.send("ab")
        _ = await readiness.first(1)
        #expect(take(pipe) == "2 bytes")
        #expect(take(pipe) == "later")
        // The pipe holds the last byte back until the sequence has ended.
        parts.send("c")
        parts.finish()
        _ = await readiness.first(2)
        #expect(pipe.isReady)
        #expect(take(pipe) == "1 bytes")
        #expect(take(pipe) == "end")
    }

    @Test("A stub that waits for a body lets go of it when its task is cancelled")
    func stub() async throws {
        let parts = ManualParts()
        let stub = StubDataSource().stub(.POST, "/", .status(200))
        let task = WebService.test(stub).POST("/", options: [.body(stream: parts.sequence)])
        parts.send("a")
        task.cancel()
        #expect(await task.finalError?.isCancelled == true)
        await parts.end.wait()
    }

    private func take(_ pipe: BodyPipe) -> String {
        var buffer = [UInt8](repeating: 0, count: 16)
        return buffer.withUnsafeMutableBytes { bytes in
            switch pipe.fill(bytes) {
            case .bytes(let count): "\(count) bytes"
            case .later: "later"
            case .end: "end"
            case .failure(let error): "\(error)"
            }
        }
    }
}
