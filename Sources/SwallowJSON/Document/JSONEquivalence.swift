/// Finds out that two names differ, in most cases without normalising them (Unicode Standard Annex #15).
///
/// A `String` made for each comparison would cost more than all else.
enum JSONEquivalence {
    /// Whether all scalars of a text stand alone. Two such texts are equal only if their bytes are.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = text.baseAddress else { return true }
        var place = 0
        while place < text.count {
            if place &+ 8 <= text.count, JSONScanner.load8(start + place) & 0x8080_8080_8080_8080 == 0 {
                place &+= 8
                continue
            }
            if start[place] < 0x80 {
                place &+= 1
                continue
            }
            guard let scalar = scalar(text, at: place) else { return true }
            guard standsAlone(scalar.value) else { return false }
            place += scalar.length
        }
        return true
    }

    /// Whether two texts of UTF-8 surely aren't canonically equivalent: where they first differ, both have a scalar that
    /// stands alone and is followed by another one, or they end.
    static func areDifferent(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = lengthInCommon(one, other)
        // Before the difference both are alike, so the scalar with the difference in it begins at the same place.
        while place > 0, isContinuation(one, at: place) || isContinuation(other, at: place) { place -= 1 }
        return standsAlone(one, at: place) && standsAlone(other, at: place)
    }

    private static func lengthInCommon(
        _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Int {
        guard let first = one.baseAddress, let second = other.baseAddress else { return 0 }
        let count = min(one.count, other.count)
        var place = 0
        while place &+ 8 <= count, JSONScanner.load8(first + place) == JSONScanner.load8(second + place) {
            place &+= 8
        }
        while place < count, first[place] == second[place] { place &+= 1 }
        return place
    }

    private static func isContinuation(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        place < text.count && text[place] & 0xC0 == 0x80
    }

    /// Whether the text ends there, or has a scalar that stands alone and is followed by another such scalar or the end.
    private static func standsAlone(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        guard let first = scalar(text, at: place) else { return true }
        guard standsAlone(first.value) else { return false }
        return scalar(text, at: place + first.length).map { standsAlone($0.value) } ?? true
    }

    @inline(__always)
    private static func scalar(
        _ text: UnsafeBufferPointer<UInt8>, at place: Int
    ) -> (value: UInt32, length: Int)? {
        guard place < text.count else { return nil }
        let first = UInt32(text[place])
        func rest(_ index: Int) -> UInt32 {
            place + index < text.count ? UInt32(text[place + index]) & 0x3F : 0
        }
        switch first {
        case ..<0x80: return (first, 1)
        case ..<0xE0: return ((first & 0x1F) << 6 | rest(1), 2)
        case ..<0xF0: return ((first & 0x0F) << 12 | rest(1) << 6 | rest(2), 3)
        default: return ((first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4)
        }
    }

    /// Whether a scalar is its own normal form C, of combining class 0, and never joins the one before it. Other scalars
    /// of which that is true may be missing here: then the names are compared as strings.
    @inline(__always)
    static func standsAlone(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0..<0x300: true  // Latin
        case 0x388..<0x400, 0x400..<0x483, 0x48A..<0x530: true  // Greek, Cyrillic
        case 0x5D0..<0x5EB, 0x620..<0x64B: true  // Letters of Hebrew and Arabic
        case 0xE01..<0xE31, 0xE40..<0xE47: true  // Letters of Thai
        case 0x1E00..<0x1F00: true  // Latin with two marks, as in Vietnamese
        case 0x2010..<0x2028, 0x3001..<0x302A: true  // Punctuation
        case 0x3041..<0x3097, 0x30A1..<0x30FF: true  // Hiragana, katakana
        case 0x3400..<0xA000: true  // Chinese
        case 0xAC00..<0xD7A4: true  // Korean syllables
        case 0xFF01..<0xFF61, 0x1F300..<0x1FB00: true  // Full width, emoji
        default: false
        }
    }
}
