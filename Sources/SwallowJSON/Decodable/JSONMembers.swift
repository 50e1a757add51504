/// The members of one object while they are read.
///
/// The state of the search is in a block of memory: an object would be retained, and access to its variables checked, for
/// each field.
final class JSONMembers {
    let reading: JSONReading
    /// Allocated in `init`, freed in `deinit`.
    let search: UnsafeMutablePointer<JSONMemberSearch>
    /// The members' values by converted name, where a strategy converts names.
    private var converted: [String: Int]?
    /// The table of an object's names, where walking the object takes too long.
    private var names: (object: Int, table: JSONNames)?

    init(_ decoder: JSONValueDecoder) {
        reading = decoder.reading
        search = .allocate(capacity: 1)
        search.initialize(to: JSONMemberSearch(decoder))
        if reading.convertsNames { converted = Self.converted(decoder) }
    }

    deinit {
        // It holds nothing but trivial values.
        search.deallocate()
    }

    /// Begins with another object of the same reading.
    @inline(__always)
    func begin(_ decoder: JSONValueDecoder) {
        search.pointee = JSONMemberSearch(decoder)
        if _slowPath(search.pointee.convertsNames) { converted = Self.converted(decoder) }
    }

    private static func converted(_ decoder: JSONValueDecoder) -> [String: Int] {
        let (reading, object) = (decoder.reading, decoder.position)
        let path = reading.pathForNames(of: object)
        var values: [String: Int] = [:]
        reading.tape.forEachName(ofObjectAt: object) { name, value in
            let name = reading.key(name, at: path).stringValue
            if values[name] == nil { values[name] = value }
        }
        return values
    }

    /// The position of a member that a quick search didn't find; negative if there is none.
    @inline(never)
    func position(of name: String, after result: Int) -> Int {
        let object = search.pointee.object
        var value = JSONMemberSearch.notFound
        if let converted {
            value = converted[name] ?? value
        } else if result == JSONMemberSearch.tooMuchWork {
            value = member(name, ofObjectAt: object)
        } else if result == JSONMemberSearch.notNearby {
            value =
                reading.document.index?.member(name, ofObjectAt: object, in: reading.tape)
                ?? reading.tape.member(name, ofObjectAt: object, end: reading.tape.end(of: object))
        }
        if value >= 0 { search.pointee.enter(value - 1) }
        return value
    }

    private func member(_ name: String, ofObjectAt object: Int) -> Int {
        if names?.object != object { names = (object, JSONNames(ofObjectAt: object, in: reading.tape)) }
        return names?.table.member(name, ofObjectAt: object, in: reading.tape) ?? JSONMemberSearch.notFound
    }

    /// The names in the document's order, converted by the strategy, each once.
    var allNames: [String] {
        var (names, known): ([String], Set<String>) = ([], [])
        let object = search.pointee.object
        let path = reading.pathForNames(of: object)
        reading.tape.forEachName(ofObjectAt: object) { name, _ in
            let name = reading.convertsNames ? reading.key(name, at: path).stringValue : name
            if known.insert(name).inserted { names.append(name) }
        }
        return names
    }
}

/// How far a search for members of one object has got.
///
/// Members are usually asked for in their order, so it begins after the last one found. If there may be one of the same
/// name before, it looks from the start.
struct JSONMemberSearch {
    let tape: JSONTape
    let object: Int
    let depth: Int
    let convertsNames: Bool
    private let place: UnsafeMutablePointer<JSONReading.Place>?
    private let end: Int
    /// Where to look for the next member's name.
    private var next: Int
    /// The names before `next`.
    private var filter = JSONNameFilter()
    /// All names of the object, once the search has passed them.
    private var filterOfAll: JSONNameFilter?
    /// The work of comparisons that didn't match; see ``JSONName``.
    private(set) var work = 0

    static let notFound = -1
    static let notNearby = -2
    static let tooMuchWork = -3
    /// After this much work for each member, a table of the names pays. With it, each of 255 names that are asked for in any
    /// order takes 0.1 µs; without it 0.3 µs, or 14 µs if they aren't ASCII.
    static let workPerMember = 40
    /// How many words the search walks without a match, in either direction from the last member, until it asks the
    /// object's index.
    private static let nearby = 2 * JSONIndex.leastParts
    /// A member further than this from the object's start is noted as a hint; an error's path needs none for a nearer
    /// one.
    private static let near = 64

    @inline(__always)
    init(_ decoder: JSONValueDecoder) {
        tape = decoder.reading.tape
        (object, depth) = (decoder.position, decoder.depth)
        convertsNames = decoder.reading.convertsNames
        place = decoder.reading.place(atDepth: depth)
        end = tape.word(at: object).offset
        next = object &+ 1
        enter(next)
    }

    /// The position of the first value of that name; negative if there is none or ``JSONMembers`` has to find it.
    @inline(__always)
    mutating func position(of name: String) -> Int {
        if _slowPath(convertsNames) { return Self.notNearby }
        return JSONName.with(name) { name in
            guard next < end, name.isSpelled(as: tape.word(at: next), in: tape), !filter.mayHold(name.filter)
            else {
                return search(name)
            }
            let value = next &+ 1
            filter.insert(name.filter)
            next = tape.end(of: value)
            if _slowPath(value &- object > Self.near) { enter(value &- 1) }
            return value
        }
    }

    @inline(never)
    private mutating func search(_ name: JSONName) -> Int {
        if _slowPath(work > Self.workPerMember &* tape.word(at: object).length) { return Self.tooMuchWork }
        let isASCII = name.isASCII
        let filter = isASCII ? name.filter : .all
        if let filterOfAll, !filterOfAll.mayHold(filter) { return Self.notFound }
        let start = object &+ 1
        var position = next
        var passed = self.filter
        // Walking further, or as far again, would make many look-ups quadratic.
        let last = min(end, next &+ Self.nearby)
        while position < last {
            let word = tape.word(at: position)
            if name.matches(word, isASCII: isASCII, in: tape, &work) {
                enter(position)
                let mayRepeat = passed.mayHold(filter)
                passed.insert(JSONNameFilter(of: word, in: tape))
                (next, self.filter) = (tape.end(of: position &+ 1), passed)
                guard mayRepeat else { return position &+ 1 }
                if position &- start > Self.nearby { return Self.notNearby }
                let earlier = name.position(in: tape, from: start, to: position, &work)
                if earlier < 0 { return position &+ 1 }
                enter(earlier &- 1)
                return earlier
            }
            passed.insert(JSONNameFilter(of: word, in: tape))
            position = tape.end(of: position &+ 1)
        }
        if position < end { return Self.notNearby }
        filterOfAll = passed
        guard self.filter.mayHold(filter) else { return Self.notFound }
        if next &- start > Self.nearby { return Self.notNearby }
        let earlier = name.position(in: tape, from: start, to: next, &work)
        if earlier >= 0 { enter(earlier &- 1) }
        return earlier
    }

    /// Notes which member is being read.
    @inline(__always)
    func enter(_ name: Int) {
        place?.pointee = JSONReading.Place(container: object, current: name)
    }
}

/// A Bloom filter: bits for a set of names, which rule out most other names at once.
///
/// Each name sets one bit in each of two words. With 20 names in the set, one of 14 other names passes for a member;
/// with a single word it would be one of 4.
struct JSONNameFilter {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    @inline(__always)
    init() {}

    /// Equal names of ASCII always have the same bits. Other names may equal one that is spelled otherwise, so they have all
    /// bits.
    @inline(__always)
    init(of word: JSONWord, in tape: JSONTape) {
        guard _fastPath(word.kind == .ascii) else {
            self = .all
            return
        }
        // Padding makes the loads legal.
        let bytes = tape.bytes + word.offset
        let length = word.length
        let start = JSONScanner.load8(bytes) & JSONName.mask(of: length)
        self.init(start: start, end: length > 8 ? JSONScanner.load8(bytes + (length &- 8)) : 0)
    }

    /// By the first eight bytes, or zeros for what is missing, and the last eight of a longer name.
    @inline(__always)
    init(start: UInt64, end: UInt64) {
        let mixed = (start ^ (end &<< 7 | end &>> 57)) &* 0x9E37_79B9_7F4A_7C15
        first = 1 &<< (mixed &>> 58)
        second = 1 &<< (mixed &>> 52 & 63)
    }

    static var all: JSONNameFilter {
        var filter = JSONNameFilter()
        (filter.first, filter.second) = (.max, .max)
        return filter
    }

    @inline(__always)
    func mayHold(_ name: JSONNameFilter) -> Bool {
        first & name.first != 0 && second & name.second != 0
    }

    @inline(__always)
    mutating func insert(_ name: JSONNameFilter) {
        first |= name.first
        second |= name.second
    }
}

extension JSONTape {
    /// Gives each member's name and its value's position.
    fileprivate func forEachName(ofObjectAt position: Int, _ body: (String, Int) -> Void) {
        var place = position + 1
        let end = end(of: position)
        while place < end {
            body(string(word(at: place)), place + 1)
            place = self.end(of: place + 1)
        }
    }
}
