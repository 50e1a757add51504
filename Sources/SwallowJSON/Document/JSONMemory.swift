import Dispatch
import Foundation

/// A block of memory for a document's text or tape.
// Unchecked, because a block has only one owner at a time: a parser, a document or the list of spare blocks.
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
        guard JSONSpareMemory.sizes.contains(size), JSONSpareMemory.shared.store(self) else {
            return free(start)
        }
    }
}

/// Stores memory for later documents. Parsing citm_catalog.json then takes less than half of the time.
final class JSONSpareMemory: Sendable {
    static let shared = JSONSpareMemory { time, body in
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: time, execute: body)
    }

    static let sizes = 64 << 10...4 << 20
    static let limit = 8 << 20
    static let time = DispatchTimeInterval.seconds(10)

    private struct State {
        var blocks: [(memory: JSONMemory, since: DispatchTime)] = []
        var isScheduled = false
    }

    private let state = Lock(State())
    private let schedule: @Sendable (DispatchTime, @escaping @Sendable () -> Void) -> Void

    init(_ schedule: @escaping @Sendable (DispatchTime, @escaping @Sendable () -> Void) -> Void) {
        self.schedule = schedule
    }

    deinit {
        for block in state.withLock({ $0.blocks }) { free(block.memory.start) }
    }

    func take(_ size: Int) -> JSONMemory? {
        state.withLock { state in
            let fitting = state.blocks.indices.filter {
                (size...2 * size).contains(state.blocks[$0].memory.size)
            }
            return fitting.min { state.blocks[$0].memory.size < state.blocks[$1].memory.size }
                .map { state.blocks.remove(at: $0).memory }
        }
    }

    func store(_ memory: JSONMemory, at now: DispatchTime = .now()) -> Bool {
        guard Self.sizes.contains(memory.size) else { return false }
        let (isStored, needsSchedule) = state.withLock { state in
            guard state.blocks.reduce(memory.size, { $0 + $1.memory.size }) <= Self.limit else {
                return (false, false)
            }
            state.blocks.append((memory, now))
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        if needsSchedule { discardLater(now + Self.time) }
        return isStored
    }

    func discard(at now: DispatchTime = .now()) {
        let (old, next) = state.withLock { state in
            let old = state.blocks.prefix { $0.since + Self.time <= now }
            state.blocks.removeFirst(old.count)
            state.isScheduled = !state.blocks.isEmpty
            return (old.map(\.memory), state.blocks.first.map { $0.since + Self.time })
        }
        for memory in old { free(memory.start) }
        if let next { discardLater(next) }
    }

    func discardAll() {
        let blocks = state.withLock { state in
            defer { state.blocks = [] }
            return state.blocks
        }
        for block in blocks { free(block.memory.start) }
    }

    private func discardLater(_ time: DispatchTime) {
        schedule(time) { [weak self] in self?.discard() }
    }

    var size: Int { state.withLock { $0.blocks.reduce(0) { $0 + $1.memory.size } } }
}

extension JSON {
    package static func freeSpareMemory() { JSONSpareMemory.shared.discardAll() }
}
