/// A stack of trivial values. The owner frees the memory. With an `Array`, encoding models takes 9 to 19 % longer.
struct JSONStack<Element: BitwiseCopyable> {
    private var start: UnsafeMutablePointer<Element>
    private var capacity = 16
    private(set) var count = 0

    init() {
        start = .allocate(capacity: capacity)
    }

    func deallocate() {
        start.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index < count)
            return start[index]
        }
        nonmutating _modify {
            assert(index < count)
            yield &start[index]
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (start + count).initialize(to: element)
        count &+= 1
    }

    @inline(__always)
    mutating func removeLast() -> Element {
        assert(count > 0)
        count &-= 1
        return start[count]
    }

    @inline(__always)
    mutating func removeLast(_ number: Int) {
        assert(number <= count)
        count &-= number
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        capacity *= 2
    }
}
