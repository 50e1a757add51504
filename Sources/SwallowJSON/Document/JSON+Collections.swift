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
            guard word.offset != first + endIndex else {
                positions = nil
                return
            }
            var place = first
            positions = Array(unsafeUninitializedCapacity: endIndex) { positions, count in
                while count < word.length {
                    positions.initializeElement(at: count, to: UInt32(truncatingIfNeeded: place))
                    place = json.owner.end(of: place)
                    count += 1
                }
            }
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

        private let document: JSONDocument?

        /// The position of the first member.
        public let startIndex: Index

        /// The position after the last member.
        public let endIndex: Index

        /// The number of members, including repeated names. Reading it takes constant time.
        public let count: Int

        init(of json: JSON) {
            if let document = json.document, let word = json.word, word.kind == .object {
                (self.document, count) = (document, word.length)
                startIndex = Index(position: json.position + 1)
                endIndex = Index(position: word.offset)
            } else {
                (document, count) = (nil, 0)
                (startIndex, endIndex) = (Index(position: 0), Index(position: 0))
            }
        }

        /// Returns the position of the next member, or `endIndex`.
        public func index(after position: Index) -> Index {
            guard let document, contains(position) else { return endIndex }
            return Index(position: Swift.min(document.end(of: position.position + 1), endIndex.position))
        }

        /// The member at a position. If there is none, the name is empty, and the value is ``JSON/missing``.
        public subscript(position: Index) -> (key: String, value: JSON) {
            guard let document, contains(position) else { return ("", .missing) }
            let name = document.string(document.word(at: position.position))
            return (name, JSON(document, at: position.position + 1))
        }

        private func contains(_ index: Index) -> Bool {
            guard let document, index >= startIndex, index.position + 1 < endIndex.position else {
                return false
            }
            return document.word(at: index.position).isString
        }
    }
}
