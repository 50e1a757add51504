import Foundation
import TestSupport
import Testing

@testable import SwallowJSON

@Suite("JSON: memory kept for the next document")
struct JSONSpareMemoryTests {
    private let times = Recorder<DispatchTime>()
    private let spare: JSONSpareMemory

    init() {
        let times = times
        spare = JSONSpareMemory { time, _ in times.append(time) }
    }

    private func block(_ size: Int) throws -> JSONMemory {
        JSONMemory(start: try #require(malloc(size)), size: size)
    }

    private func keepsBlock(_ size: Int, at time: DispatchTime = .now()) throws -> Bool {
        let block = try block(size)
        if spare.keep(block, at: time) { return true }
        free(block.start)
        return false
    }

    @Test("A block is given to the next document that it fits")
    func taken() throws {
        let block = try block(1 << 20)
        #expect(spare.keep(block) && spare.size == 1 << 20)
        #expect(spare.take(2 << 20) == nil && spare.take(1 << 18) == nil)
        #expect(spare.take(1_000_000)?.start == block.start && spare.size == 0)
        free(block.start)
    }

    @Test("A block goes back to the system after ten seconds in which no document took it")
    func discarded() throws {
        let start = DispatchTime.now()
        #expect(try keepsBlock(1 << 20, at: start))
        #expect(try keepsBlock(1 << 16, at: start + .seconds(4)))
        #expect(times.values == [start + .seconds(10)])
        spare.discard(at: start + .seconds(9))
        #expect(spare.size == 1 << 20 + 1 << 16)
        spare.discard(at: start + .seconds(10))
        #expect(spare.size == 1 << 16 && times.values.last == start + .seconds(14))
        spare.discard(at: start + .seconds(14))
        #expect(spare.size == 0)
        let count = times.values.count
        #expect(try keepsBlock(1 << 16, at: start + .seconds(20)))
        #expect(times.values.count == count + 1 && times.values.last == start + .seconds(30))
    }

    @Test("Blocks of another size, and more than 8 MB, aren't kept")
    func bounds() throws {
        #expect(try !keepsBlock(1 << 15))
        #expect(try !keepsBlock(5 << 20))
        #expect(try keepsBlock(4 << 20))
        #expect(try keepsBlock(4 << 20))
        #expect(try !keepsBlock(1 << 16))
        #expect(spare.size == 8 << 20)
    }
}
