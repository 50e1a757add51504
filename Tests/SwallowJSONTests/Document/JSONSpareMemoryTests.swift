import Foundation
import TestSupport
import Testing

@testable import SwallowJSON

@Suite("JSON: spare memory for the next document")
struct JSONSpareMemoryTests {
    private let scheduled = Recorder<@Sendable () -> Void>()
    private let spare: JSONSpareMemory

    init() {
        let scheduled = scheduled
        spare = JSONSpareMemory { scheduled.append($0) }
    }

    private func block(_ size: Int) throws -> JSONMemory {
        JSONMemory(start: try #require(malloc(size)), size: size)
    }

    private func storesBlock(_ size: Int) throws -> Bool {
        let block = try block(size)
        if spare.store(block) { return true }
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

    @Test("The first block schedules the return of all blocks to the system")
    func discarded() throws {
        for count in 1...2 {
            #expect(try storesBlock(1 << 20) && storesBlock(1 << 16))
            #expect(scheduled.values.count == count && spare.size == 1 << 20 + 1 << 16)
            scheduled.values.last?()
            #expect(spare.size == 0)
        }
    }

    @Test("If the blocks are freed earlier, the return that is scheduled also applies to the next block")
    func freed() throws {
        #expect(try storesBlock(1 << 20))
        spare.discard()
        #expect(try storesBlock(1 << 16))
        #expect(scheduled.values.count == 1 && spare.size == 1 << 16)
        scheduled.values.last?()
        #expect(spare.size == 0)
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
