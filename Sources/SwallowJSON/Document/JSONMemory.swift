import Dispatch
import Foundation

/// A block of memory for a document's text or tape.
// Unchecked, because a block has only one owner at a time: a parser, a document or the list of spare blocks. Threads may
// share a document, because its blocks don't change until its `deinit` releases them.
struct JSONMemory: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let size: Int

    init?(atLeast size: Int) {
        let isReusable = JSONSpareMemory.sizes.contains(size)
        if isReusable, let block = JSONSpareMemory.shared.take(size) {
            self = block
            return
        }
        let rounded = isReusable ? (size + 0xFFFF) & ~0xFFFF : size
        guard let start = malloc(rounded) else { return nil }
        self.init(start: start, size: rounded)
    }

    init(copying bytes: UnsafeRawBufferPointer) {
        self.init(start: .allocate(byteCount: bytes.count, alignment: 16), size: bytes.count)
        UnsafeMutableRawBufferPointer(start: start, count: size).copyMemory(from: bytes)
    }

    init(start: UnsafeMutableRawPointer, size: Int) {
        self.start = start
        self.size = size
    }

    func isWorthShrinking(to used: Int) -> Bool {
        JSONSpareMemory.sizes.contains(size) ? used < size / 4 : used < size
    }

    func resized(to size: Int) -> JSONMemory? {
        realloc(start, size).map { JSONMemory(start: $0, size: size) }
    }

    /// Moves the bytes to a block of at least twice the size. If memory is short, returns `nil` and keeps this block.
    func doubled() -> JSONMemory? {
        guard JSONSpareMemory.sizes.contains(2 * size) else { return resized(to: 2 * size) }
        guard let larger = JSONMemory(atLeast: 2 * size) else { return nil }
        memcpy(larger.start, start, size)
        release()
        return larger
    }

    func release() {
        if !JSONSpareMemory.shared.store(self) { free(start) }
    }
}

/// Stores memory for later documents. Parsing citm_catalog.json then takes less than half of the time.
final class JSONSpareMemory: Sendable {
    static let shared = JSONSpareMemory { discard in
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 10, execute: discard)
    }

    static let sizes = 64 << 10...4 << 20
    static let limit = 8 << 20

    private struct State {
        var blocks: [JSONMemory] = []
        var isScheduled = false
    }

    private let state = Lock(State())
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void

    init(_ schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    deinit {
        discard()
    }

    func take(_ size: Int) -> JSONMemory? {
        state.withLock { state in
            let fitting = state.blocks.indices.filter { (size...2 * size).contains(state.blocks[$0].size) }
            return fitting.min { state.blocks[$0].size < state.blocks[$1].size }
                .map { state.blocks.remove(at: $0) }
        }
    }

    /// Stores a block, and schedules the release of all blocks unless it is scheduled. Returns `false` without room.
    func store(_ memory: JSONMemory) -> Bool {
        guard Self.sizes.contains(memory.size) else { return false }
        let (isStored, needsSchedule) = state.withLock { state in
            guard state.blocks.reduce(memory.size, { $0 + $1.size }) <= Self.limit else {
                return (false, false)
            }
            state.blocks.append(memory)
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        if needsSchedule {
            schedule { [weak self] in
                self?.state.withLock { $0.isScheduled = false }
                self?.discard()
            }
        }
        return isStored
    }

    func discard() {
        let blocks = state.withLock { state in
            defer { state.blocks = [] }
            return state.blocks
        }
        for block in blocks { free(block.start) }
    }

    var size: Int { state.withLock { $0.blocks.reduce(0) { $0 + $1.size } } }
}

extension JSON {
    package static func freeSpareMemory() { JSONSpareMemory.shared.discard() }
}
