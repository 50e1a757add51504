import Swallow

/// The members of a response under which the entities are found.
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

    /// No envelope. The response is an entity or an array of entities.
    public static let none = Envelope(single: [], list: [])

    /// Returns an envelope with the same path of members for a single entity and for a list.
    public static func at(_ path: String...) -> Envelope {
        Envelope(single: path, list: path)
    }

    /// Returns an envelope with one path of members for a single entity and another for a list. An empty path means no
    /// envelope.
    public static func at(single: String..., list: String...) -> Envelope {
        Envelope(single: single, list: list)
    }

    /// Returns the decoding of a response that holds a single entity.
    func single<Entity>(_ entity: Decoding<Entity>) -> Decoding<Entity> {
        single.isEmpty ? entity : .at(single, entity)
    }

    /// Returns the decoding of a response that holds a list.
    func list<Entity>(_ entity: Decoding<Entity>) -> Decoding<[Entity]> {
        list.isEmpty ? .array(entity) : .at(list, .array(entity))
    }
}
