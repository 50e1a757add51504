/// Where in an answer the entities are: under which members.
///
/// ```swift
/// let envelope: Envelope = .at("data")  // {"data": {…}} and {"data": […]}
///
/// let envelope: Envelope = .at(list: "items")  // {…} and {"items": […], "next": …}
///
/// let envelope: Envelope = .at(single: "user", list: "users")
/// ```
public struct Envelope: Sendable {
    private let single: [String]
    private let list: [String]

    /// No envelope: an answer is an entity or an array of them.
    public static let none = Envelope(single: [], list: [])

    /// The same path of members for a single entity and for a list.
    public static func at(_ path: String...) -> Envelope {
        Envelope(single: path, list: path)
    }

    /// A path of members for a single entity, and one for a list; an empty one is no envelope.
    public static func at(single: String..., list: String...) -> Envelope {
        Envelope(single: single, list: list)
    }

    /// The decoding of an answer that holds a single entity.
    func single<Entity>(_ entity: Decoding<Entity>) -> Decoding<Entity> {
        single.isEmpty ? entity : .at(single, entity)
    }

    /// The decoding of an answer that holds a list.
    func list<Entity>(_ entity: Decoding<Entity>) -> Decoding<[Entity]> {
        list.isEmpty ? .array(entity) : .at(list, .array(entity))
    }
}
