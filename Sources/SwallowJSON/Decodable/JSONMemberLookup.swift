final class JSONMemberLookup {
    let session: JSONDecodingSession
    let search: UnsafeMutablePointer<JSONMemberSearch>
    private var table: (object: Int, names: JSONNameTable)?

    init(_ decoder: JSONValueDecoder) {
        session = decoder.session
        search = .allocate(capacity: 1)
        search.initialize(to: JSONMemberSearch(decoder))
    }

    deinit {
        search.deallocate()
    }

    @inline(__always)
    func begin(_ decoder: JSONValueDecoder) {
        search.pointee = JSONMemberSearch(decoder)
    }

    @inline(never)
    func positionInTable(of name: String) -> Int {
        let value = names.position(of: name)
        if value >= 0 { search.pointee.track(value - 1) }
        return value
    }

    var allNames: [String] { names.ordered }

    private var names: JSONNameTable {
        let object = search.pointee.object
        if let table, table.object == object { return table.names }
        let path = session.pathForNames(of: object)
        let names = JSONNameTable(ofObjectAt: object, in: session.tape, keepsOrder: true) { name in
            session.convertsNames ? session.key(name, at: path).stringValue : name
        }
        table = (object, names)
        search.pointee.needsTable = true
        return names
    }
}

/// Searches an object's members. Types usually decode them in the document's order, so a search begins after the
/// furthest member found. It checks earlier members only if a Bloom filter of their names may contain the name.
struct JSONMemberSearch {
    let tape: JSONTape
    let object: Int
    let depth: Int
    private let convertsNames: Bool
    /// Whether to use a ``JSONNameTable``, for example due to an escaped name, a key strategy or long searches.
    var needsTable: Bool
    private let progress: UnsafeMutablePointer<JSONDecodingSession.Progress>?
    private let end: Int
    private var next: Int
    private var filter = JSONNameFilter()
    private var filterOfAll: JSONNameFilter?
    private(set) var work = 0

    static let notFound = -1
    static let unknown = -2
    private static let workPerMember = 160
    /// The fast path doesn't track an object's first 64 words, because the path of an error in them is found quickly.
    private static let near = 64

    @inline(__always)
    init(_ decoder: JSONValueDecoder) {
        tape = decoder.session.tape
        (object, depth) = (decoder.position, decoder.depth)
        convertsNames = decoder.session.convertsNames
        needsTable = convertsNames
        progress = decoder.session.progress(atDepth: depth)
        end = tape.word(at: object).offset
        next = object &+ 1
        track(next)
    }

    /// Returns the position of the member's value, ``notFound``, or ``unknown`` if the table must be used.
    @inline(__always)
    mutating func position(of name: String) -> Int {
        JSONName.with(name) { name in
            guard next < end, name.isSpelled(as: tape.word(at: next), in: tape),
                !filter.mayContain(name.filter),
                _fastPath(!convertsNames)
            else {
                return search(name)
            }
            let value = next &+ 1
            filter.insert(name.filter)
            next = tape.end(of: value)
            if _slowPath(value &- object > Self.near) { track(value &- 1) }
            return value
        }
    }

    @inline(never)
    private mutating func search(_ name: JSONName) -> Int {
        if work > Self.workPerMember &* tape.word(at: object).length { needsTable = true }
        if needsTable { return Self.unknown }
        if let filterOfAll, !filterOfAll.mayContain(name.filter) { return absent(name) }
        var position = next
        var passed = filter
        while position < end {
            let word = tape.word(at: position)
            guard word.kind != .escaped else {
                needsTable = true
                return Self.unknown
            }
            let isFound = name.isSpelled(as: word, in: tape)
            let mayRepeat = isFound && passed.mayContain(name.filter)
            passed.insert(JSONNameFilter(of: word, in: tape))
            if isFound {
                (next, filter) = (tape.end(of: position &+ 1), passed)
                let earlier = mayRepeat ? self.earlier(name, before: position) : Self.notFound
                if earlier < 0 { track(position) }
                return earlier < 0 ? position &+ 1 : earlier
            }
            work &+= 1
            position = tape.end(of: position &+ 1)
        }
        filterOfAll = passed
        let earlier = filter.mayContain(name.filter) ? self.earlier(name, before: next) : Self.notFound
        return earlier < 0 ? absent(name) : earlier
    }

    private mutating func absent(_ name: JSONName) -> Int {
        needsTable = name.mayHaveEquivalents(in: tape, ofObjectAt: object)
        return needsTable ? Self.unknown : Self.notFound
    }

    private mutating func earlier(_ name: JSONName, before end: Int) -> Int {
        let value = name.position(in: tape, from: object &+ 1, to: end, &work)
        if value >= 0 { track(value &- 1) }
        return value
    }

    @inline(__always)
    func track(_ name: Int) {
        progress?.pointee = JSONDecodingSession.Progress(container: object, current: name)
    }
}

/// A Bloom filter of names without escapes. With 20 names, two words pass 1 of 14 other names, and one word 1 of 4.
struct JSONNameFilter {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    @inline(__always)
    init() {}

    @inline(__always)
    init(of word: JSONWord, in tape: JSONTape) {
        let bytes = tape.bytes + word.offset
        let length = word.length
        let start = JSONScanner.load8(bytes) & JSONName.mask(of: length)
        self.init(start: start, end: length > 8 ? JSONScanner.load8(bytes + (length &- 8)) : 0)
    }

    /// Creates a filter of one name from its first eight bytes and, if the name is longer, its last eight bytes.
    @inline(__always)
    init(start: UInt64, end: UInt64) {
        let mixed = (start ^ (end &<< 7 | end &>> 57)) &* 0x9E37_79B9_7F4A_7C15
        first = 1 &<< (mixed &>> 58)
        second = 1 &<< (mixed &>> 52 & 63)
    }

    @inline(__always)
    func mayContain(_ name: JSONNameFilter) -> Bool {
        first & name.first != 0 && second & name.second != 0
    }

    @inline(__always)
    mutating func insert(_ name: JSONNameFilter) {
        first |= name.first
        second |= name.second
    }
}
