package struct JSONKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    static let `super` = JSONKey(stringValue: "super")

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    static func camelCase(_ name: String) -> String {
        guard let first = name.firstIndex(where: { $0 != "_" }),
            let last = name.lastIndex(where: { $0 != "_" })
        else { return name }
        let words = name[first...last].split(separator: "_")
        guard words.count > 1 else { return name }
        let joined = words[0].lowercased() + words.dropFirst().map { $0.capitalized }.joined()
        return name[..<first] + joined + name[name.index(after: last)...]
    }

    package static func snakeCase(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        guard !scalars.isEmpty else { return name }
        var words: [ArraySlice<Unicode.Scalar>] = []
        var (wordStart, searchStart) = (0, 1)
        while let upper = scalars[searchStart...].firstIndex(where: isUppercase) {
            words.append(scalars[wordStart..<upper])
            wordStart = upper
            guard let lower = scalars[upper...].firstIndex(where: isLowercase) else { break }
            if lower > upper + 1 {
                // The last of several capitals begins the next word.
                words.append(scalars[upper..<lower - 1])
                wordStart = lower - 1
            }
            searchStart = lower + 1
        }
        words.append(scalars[wordStart...])
        return words.map { String(String.UnicodeScalarView($0)).lowercased() }.joined(separator: "_")
    }

    private static func isUppercase(_ scalar: Unicode.Scalar) -> Bool {
        [.uppercaseLetter, .titlecaseLetter].contains(scalar.properties.generalCategory)
    }

    private static func isLowercase(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .lowercaseLetter
    }
}
