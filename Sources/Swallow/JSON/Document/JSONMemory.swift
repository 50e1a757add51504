import Foundation

/// A block of memory for a document's text or tape.
// Unchecked: a block has one holder at a time, a parser, a document or the list of spare ones, which passes it on.
struct JSONMemory: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    /// In bytes.
    let size: Int

    /// Blocks of these sizes are kept for the next document: fresh memory of that size comes page by page from the
    /// system, which takes longer than parsing into it. A 1.7 MB catalogue takes 0.9 ms so, 2.0 ms otherwise.
    private static let kept = 64 << 10...4 << 20
    /// How many bytes are kept at most, in all.
    private static let limit = 8 << 20
    private static let spare = Lock<[JSONMemory]>([])

    /// Nil where there is no memory.
    init?(atLeast size: Int) {
        if Self.kept.contains(size), let block = Self.take(size) {
            self = block
            return
        }
        let rounded = Self.kept.contains(size) ? (size + 0xFFFF) & ~0xFFFF : size
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

    /// The smallest of the spare blocks that fits, unless most of it would lie idle.
    private static func take(_ size: Int) -> JSONMemory? {
        spare.withLock { blocks in
            let fitting = blocks.indices.filter { (size...2 * size).contains(blocks[$0].size) }
            return fitting.min { blocks[$0].size < blocks[$1].size }.map { blocks.remove(at: $0) }
        }
    }

    /// Whether only a small part would be used, of a block that is not one to keep or of one that is.
    func isWorthShrinking(to used: Int) -> Bool {
        Self.kept.contains(size) ? used < size / 4 : used < size
    }

    /// The block in another size, or nil where there is no memory; it is as it was then.
    func resized(to size: Int) -> JSONMemory? {
        realloc(start, size).map { JSONMemory(start: $0, size: size) }
    }

    /// The block's content in a block twice as large, or nil where there is no memory; it is as it was then. Of a size to
    /// keep, that is another block: what came from the list in this size can go back to it, and be found by the next
    /// document.
    func doubled() -> JSONMemory? {
        guard Self.kept.contains(2 * size) else { return resized(to: 2 * size) }
        guard let larger = JSONMemory(atLeast: 2 * size) else { return nil }
        memcpy(larger.start, start, size)
        release()
        return larger
    }

    /// Gives the block back.
    func release() {
        let isKept =
            Self.kept.contains(size)
            && Self.spare.withLock { blocks in
                guard blocks.reduce(size, { $0 + $1.size }) <= Self.limit else { return false }
                blocks.append(self)
                return true
            }
        if !isKept { free(start) }
    }
}
