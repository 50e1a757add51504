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

    init(trappingWithout size: Int) {
        self.init(start: .allocate(byteCount: size, alignment: 16), size: size)
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

    /// Returns a block of at least twice the size with the same bytes. If memory is short, returns `nil` and keeps this
    /// block.
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
