import Foundation

/// A block of memory for a document's text or tape.
// Unchecked: a block has one holder at a time, a parser, a document or the list of spare ones, which passes it on.
struct JSONMemory: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    /// In bytes.
    let size: Int

    /// Nil where there is no memory.
    init?(atLeast size: Int) {
        let isKept = JSONSpareMemory.sizes.contains(size)
        if isKept, let block = JSONSpareMemory.shared.take(size) {
            self = block
            return
        }
        let rounded = isKept ? (size + 0xFFFF) & ~0xFFFF : size
        guard let start = malloc(rounded) else { return nil }
        self.init(start: start, size: rounded)
    }

    /// Ends the process where there is no memory.
    init(trappingWithout size: Int) {
        self.init(start: .allocate(byteCount: size, alignment: 16), size: size)
    }

    init(start: UnsafeMutableRawPointer, size: Int) {
        self.start = start
        self.size = size
    }

    /// Whether so little of the block is used that a smaller one is worth its copy.
    func isWorthShrinking(to used: Int) -> Bool {
        JSONSpareMemory.sizes.contains(size) ? used < size / 4 : used < size
    }

    /// The block in another size; nil where there is no memory, and the block stays as it was.
    func resized(to size: Int) -> JSONMemory? {
        realloc(start, size).map { JSONMemory(start: $0, size: size) }
    }

    /// Moves the content to a block twice as large; nil where there is no memory, and the block stays as it was. If
    /// the list of spare blocks keeps blocks of the new size, the content is copied to another block, and the old one
    /// is released.
    func doubled() -> JSONMemory? {
        guard JSONSpareMemory.sizes.contains(2 * size) else { return resized(to: 2 * size) }
        guard let larger = JSONMemory(atLeast: 2 * size) else { return nil }
        memcpy(larger.start, start, size)
        release()
        return larger
    }

    /// Gives the block back.
    func release() {
        guard JSONSpareMemory.sizes.contains(size), JSONSpareMemory.shared.keep(self) else {
            return free(start)
        }
    }
}
