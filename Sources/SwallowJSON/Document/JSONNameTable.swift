/// The names of an object's members. Names are equal if they are canonically equivalent, as in `JSONDecoder`.
struct JSONNameTable {
    /// The names in the document's order, each once.
    private(set) var ordered: [String] = []
    /// The position of each name's first value.
    private(set) var positions: [String: Int]

    init(ofObjectAt object: Int, in tape: JSONTape, converting convert: (String) -> String = { $0 }) {
        let word = tape.word(at: object)
        positions = Dictionary(minimumCapacity: word.length)
        ordered.reserveCapacity(word.length)
        var place = object + 1
        while place < word.offset {
            let name = convert(tape.string(tape.word(at: place)))
            // Hashing takes the most time, so each name is hashed once.
            if let first = positions.updateValue(place + 1, forKey: name) {
                positions[name] = first
            } else {
                ordered.append(name)
            }
            place = tape.end(of: place + 1)
        }
    }
}
