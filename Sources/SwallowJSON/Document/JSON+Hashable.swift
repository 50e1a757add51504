extension JSON: Hashable {
    /// Returns whether two values are equal. The order of members doesn't matter, and `1` equals `1.0`. Of repeated
    /// names, the first member counts. ``missing`` equals only itself and values that can't be written.
    public static func == (left: JSON, right: JSON) -> Bool {
        guard let leftDocument = left.document, let leftWord = left.word,
            let rightDocument = right.document, let rightWord = right.word
        else { return !left.exists && !right.exists }
        if leftDocument === rightDocument, left.position == right.position { return true }
        switch (leftWord.kind, rightWord.kind) {
        case (.integer, .integer), (.integer, .fraction), (.fraction, .integer), (.fraction, .fraction):
            let (leftText, rightText) = (leftDocument.string(leftWord), rightDocument.string(rightWord))
            return leftText == rightText || JSONNumber(leftText) == JSONNumber(rightText)
        case (.array, .array): return left.elements.elementsEqual(right.elements)
        case (.object, .object): return left.object == right.object
        default:
            guard leftWord.isString, rightWord.isString else { return leftWord.bits == rightWord.bits }
            return leftDocument.string(leftWord) == rightDocument.string(rightWord)
        }
    }

    /// Hashes the value, so that equal values have the same hash.
    public func hash(into hasher: inout Hasher) {
        switch kind {
        case .missing: hasher.combine(0)
        case .null: hasher.combine(1)
        case .bool: hasher.combine(bool)
        case .number: hasher.combine(JSONNumber(numberText ?? ""))
        case .string: hasher.combine(string)
        case .array:
            hasher.combine(elements.count)
            for element in elements { hasher.combine(element) }
        case .object: hasher.combine(object)
        }
    }
}
