import Foundation
import TestSupport
import Testing

@testable import SwallowJSON

@Suite("JSON: spare memory for the next document")
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

    private func storesBlock(_ size: Int, at time: DispatchTime = .now()) throws -> Bool {
        let block = try block(size)
        if spare.store(block, at: time) { return true }
        free(block.start)
        return false
    }

    @Test("A spare block is reused for a document that fits its size")
    func taken() throws {
        let block = try block(1 << 20)
        #expect(spare.store(block) && spare.size == 1 << 20)
        #expect(spare.take(2 << 20) == nil && spare.take(1 << 18) == nil)
        #expect(spare.take(1_000_000)?.start == block.start && spare.size == 0)
        free(block.start)
    }

    @Test("A block that is unused for ten seconds is returned to the system")
    func discarded() throws {
        let start = DispatchTime.now()
        #expect(try storesBlock(1 << 20, at: start))
        #expect(try storesBlock(1 << 16, at: start + .seconds(4)))
        #expect(times.values == [start + .seconds(10)])
        spare.discard(at: start + .seconds(9))
        #expect(spare.size == 1 << 20 + 1 << 16)
        spare.discard(at: start + .seconds(10))
        #expect(spare.size == 1 << 16 && times.values.last == start + .seconds(14))
        spare.discard(at: start + .seconds(14))
        #expect(spare.size == 0)
        let count = times.values.count
        #expect(try storesBlock(1 << 16, at: start + .seconds(20)))
        #expect(times.values.count == count + 1 && times.values.last == start + .seconds(30))
    }

    @Test("A block that is too small or too large isn't kept, and neither is one beyond 8 MB in total")
    func bounds() throws {
        #expect(try !storesBlock(1 << 15))
        #expect(try !storesBlock(5 << 20))
        #expect(try storesBlock(4 << 20))
        #expect(try storesBlock(4 << 20))
        #expect(try !storesBlock(1 << 16))
        #expect(spare.size == 8 << 20)
    }
}
