extension JSON {
    /// The elements of a JSON array, in order. Empty for any other value.
    public struct Elements: RandomAccessCollection, Sendable {
        private let owner: JSONDocument
        private let first: Int
        private let positions: [UInt32]?

        /// The position after the last element.
        public let endIndex: Int

        init(of json: JSON) {
            owner = json.owner
            first = json.position + 1
            guard let word = json.word, word.kind == .array else {
                (positions, endIndex) = (nil, 0)
                return
            }
            endIndex = word.length
            let isFlat = word.offset == first + endIndex
            positions = isFlat ? nil : json.read { tape, _ in tape.elements(ofArrayAt: json.position) }
        }

        /// The first position, which is always 0.
        public var startIndex: Int { 0 }

        /// The element at a position, or ``JSON/missing`` if the position is out of bounds.
        public subscript(position: Int) -> JSON {
            guard position >= 0, position < endIndex else { return .missing }
            return JSON(owner, at: positions.map { Int($0[position]) } ?? first + position)
        }
    }

    /// The members of a JSON object, in the document's order. Empty for any other value.
    public struct Members: Collection, Sendable {
        /// An index of the members of one JSON object. Don't use it with another object.
        public struct Index: Comparable, Sendable {
            fileprivate let position: Int

            /// Returns whether the left position comes first.
            public static func < (left: Index, right: Index) -> Bool {
                left.position < right.position
            }
        }

        private let owner: JSONDocument

        /// The position of the first member.
        public let startIndex: Index

        /// The position after the last member.
        public let endIndex: Index

        /// The number of members, including repeated names. Reading it takes constant time.
        public let count: Int

        init(of json: JSON) {
            owner = json.owner
            let word = json.word.flatMap { $0.kind == .object ? $0 : nil }
            count = word?.length ?? 0
            startIndex = Index(position: word == nil ? 0 : json.position + 1)
            endIndex = Index(position: word?.offset ?? 0)
        }

        /// Returns the position of the next member, or `endIndex`.
        public func index(after position: Index) -> Index {
            guard contains(position) else { return endIndex }
            return Index(position: Swift.min(owner.end(of: position.position + 1), endIndex.position))
        }

        /// The member at a position. If there is none, the name is empty, and the value is ``JSON/missing``.
        public subscript(position: Index) -> (key: String, value: JSON) {
            guard contains(position) else { return ("", .missing) }
            let name = owner.string(owner.word(at: position.position))
            return (name, JSON(owner, at: position.position + 1))
        }

        private func contains(_ index: Index) -> Bool {
            index >= startIndex && index.position + 1 < endIndex.position
                && owner.word(at: index.position).isString
        }
    }
}
