/// The positions of an object's values by name. A lookup finds the name with the same bytes, or otherwise a canonically
/// equivalent name.
struct JSONNameTable {
    private(set) var ordered: [String] = []
    private var positions: [String: Int]
    private var variants: [(name: String, position: Int)] = []

    init(
        ofObjectAt object: Int, in tape: JSONTape, keepsOrder: Bool = false,
        converting convert: (String) -> String = { $0 }
    ) {
        let names = tape.parts(ofContainerAt: object)
        positions = Dictionary(minimumCapacity: names.underestimatedCount)
        if keepsOrder { ordered.reserveCapacity(names.underestimatedCount) }
        for place in names {
            let name = convert(tape.string(tape.word(at: place)))
            // Hashing takes the most time, so a name that isn't repeated is hashed once.
            if let first = positions.updateValue(place + 1, forKey: name) {
                positions[name] = first
                let firstName = convert(tape.string(tape.word(at: first - 1)))
                if !name.utf8.elementsEqual(firstName.utf8) { variants.append((name, place + 1)) }
            } else if keepsOrder {
                ordered.append(name)
            }
        }
    }

    func position(of name: String) -> Int {
        guard let first = positions[name] else { return -1 }
        if variants.isEmpty { return first }
        let variant = variants.first { $0.name.utf8.elementsEqual(name.utf8) }
        return variant?.position ?? first
    }
}
