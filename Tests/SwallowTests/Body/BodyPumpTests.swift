import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Swallow

/// The pump writes streamed bodies on Apple's platforms. These tests run it with an output that they control.
@Suite("A pump that writes a body to an output")
struct BodyPumpTests {
    /// An output that takes as many bytes as the test has made room for.
    // Unchecked: Apart from the recorders, it is used on the pump's queue only.
    private final class Output: BodyOutput, @unchecked Sendable {
        var room: Int
        var isBroken = false
        let written = Recorder<Data>()
        let ended = TestSupport.Event()
        let isClosed = Lock(false)

        init(room: Int) { self.room = room }

        var hasSpaceAvailable: Bool { room > 0 }

        func write(_ bytes: UnsafePointer<UInt8>, maxLength: Int) -> Int {
            if isBroken { return -1 }
            let count = min(room, maxLength)
            room -= count
            written.append(Data(bytes: bytes, count: count))
            return count
        }

        func close() { isClosed.withLock { $0 = true } }

        var bytes: Data { written.values.reduce(Data(), +) }
    }

    private let queue = DispatchQueue(label: "BodyPumpTests")
    private let sending = BodySending()

    private func pump(_ body: RequestBody, from offset: Int64 = 0, to output: Output) -> BodyPump {
        BodyPump(body, from: offset, to: output, sending, on: queue) { output.ended.happen() }
    }

    /// Makes room and calls the pump, as a stream's event does.
    private func makeRoom(_ count: Int, in output: Output, for pump: BodyPump) {
        queue.async {
            output.room += count
            pump.continueWriting()
        }
    }

    @Test("Bodies of each kind are written completely, and the output is closed after the last byte")
    func kinds() async throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let file = try TemporaryFile(bytes)
        let parts = RequestBody.parts(MadeParts(count: 3, size: 100_000))
        for body in [.data(bytes), .file(file.url), .stream { InputStream(data: bytes) }, parts]
            as [RequestBody]
        {
            let output = Output(room: .max)
            pump(body, to: output).start()
            await output.ended.wait()
            #expect(output.isClosed.withLock { $0 } && sending.failure == nil)
            #expect(output.bytes.count == 300_000)
            if body.isRepeatable { #expect(output.bytes == bytes) }
        }
    }

    @Test("A body is opened at the start, and nothing is written without room")
    func room() async throws {
        let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        let opened = Recorder<Int>()
        let output = Output(room: 0)
        let pump = pump(
            .stream {
                opened.append(1)
                return InputStream(data: bytes)
            }, to: output)
        queue.sync {}
        #expect(opened.values.isEmpty)
        pump.start()
        pump.start()
        _ = await opened.first(1)
        for count in 1...10 {
            makeRoom(100, in: output, for: pump)
            _ = await output.written.first(count)
        }
        makeRoom(1, in: output, for: pump)
        await output.ended.wait()
        #expect(output.bytes == bytes && opened.values.count == 1)
        #expect(output.written.values.allSatisfy { $0.count <= 100 })
    }

    @Test(
        "A pump with an offset skips the bytes that the reader already has",
        arguments: [0, 1, 65_536, 99_999, 100_000])
    func offset(offset: Int64) async {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let output = Output(room: .max)
        pump(.stream { InputStream(data: bytes) }, from: offset, to: output).start()
        await output.ended.wait()
        #expect(output.bytes == bytes.dropFirst(Int(offset)))
    }

    @Test("If a body can't be read, the output stays open and the pump fails with the body's error")
    func failing() async {
        let output = Output(room: .max)
        let failures = Recorder<ServiceError>()
        sending.whenFailed { failures.append($0) }
        let pump = pump(.stream { throw AppError(code: 3) }, to: output)
        pump.start()
        #expect(await failures.first(1)[0].underlying as? AppError == AppError(code: 3))
        await output.ended.wait()
        #expect(!output.isClosed.withLock { $0 } && output.written.values.isEmpty)
    }

    @Test("A body that can be sent only once fails the second time")
    func once() async {
        let body = RequestBody.parts(MadeParts(count: 1, size: 5))
        let output = Output(room: .max)
        pump(body, to: output).start()
        await output.ended.wait()
        let (second, again) = (Output(room: .max), BodySending())
        BodyPump(body, to: second, again, on: queue) { second.ended.happen() }.start()
        await second.ended.wait()
        queue.sync {}
        #expect(again.failure?.reason == .invalidRequest && second.written.values.isEmpty)
    }

    @Test(
        "The pump stops reading the body if its output fails or the task is cancelled",
        arguments: [true, false])
    func ended(isCancelled: Bool) async {
        let parts = ManualParts()
        parts.send("first")
        let output = Output(room: .max)
        let pump = pump(.parts(parts.sequence), to: output)
        pump.start()
        _ = await output.written.first(1)
        if isCancelled {
            sending.cancel()
        } else {
            queue.async { output.isBroken = true }
            parts.send("second")
        }
        await output.ended.wait()
        await parts.end.wait()
        #expect(sending.failure == nil && !output.isClosed.withLock { $0 })
    }

    @Test("A pump that is cancelled before it starts never opens its body")
    func cancelledBefore() async {
        let opened = Recorder<Int>()
        sending.cancel()
        let output = Output(room: .max)
        let pump = pump(
            .stream {
                opened.append(1)
                return InputStream(data: Data())
            }, to: output)
        pump.start()
        await output.ended.wait()
        queue.sync {}
        #expect(opened.values.isEmpty)
    }
}
