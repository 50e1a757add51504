extension JSON {
    /// The elements of an array, in order.
    public struct Elements: RandomAccessCollection, Hashable, Sendable {
        private let values: [JSON]

        init(_ values: [JSON]) {
            self.values = values
        }

        /// The first position: always 0.
        public var startIndex: Int { 0 }

        /// The position after the last element.
        public var endIndex: Int { values.count }

        /// The element at that position; ``JSON/missing`` if there is none, never a trap.
        public subscript(position: Int) -> JSON {
            values.indices.contains(position) ? values[position] : .missing
        }
    }

    /// The members of an object, in the document's order.
    public struct Members: Collection, Sendable {
        /// A member: its name and its value.
        public typealias Element = (key: String, value: JSON)

        /// A member's position.
        public struct Index: Comparable, Sendable {
            fileprivate let offset: Int

            /// Whether the left position comes first.
            public static func < (left: Index, right: Index) -> Bool {
                left.offset < right.offset
            }
        }

        private let values: [Element]

        init(_ values: [Element]) {
            self.values = values
        }

        /// The first member's position.
        public var startIndex: Index { Index(offset: 0) }

        /// The position after the last member.
        public var endIndex: Index { Index(offset: values.count) }

        /// The number of members, counted at once.
        public var count: Int { values.count }

        /// The position after the given one.
        public func index(after position: Index) -> Index {
            Index(offset: position.offset + 1)
        }

        /// The member at that position; an empty name with ``JSON/missing`` if there is none.
        public subscript(position: Index) -> Element {
            values.indices.contains(position.offset) ? values[position.offset] : ("", .missing)
        }
    }
}
