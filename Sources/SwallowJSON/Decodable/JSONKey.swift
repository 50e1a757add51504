/// A coding key of any name or position.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    static let `super` = JSONKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// As `JSONDecoder` names the elements of an array.
    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    /// `one_two_three` as `oneTwoThree`. Underscores at either end stay, as in `JSONDecoder`.
    static func camelCase(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }),
            let last = name.lastIndex(where: { $0 != "_" })
        else { return name }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1 else { return name }
        let joined = words[0].lowercased() + words.dropFirst().map { $0.capitalized }.joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }
}
