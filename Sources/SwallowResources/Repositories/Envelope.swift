import Swallow

/// The path of JSON members from a response's root to the models.
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

    /// No envelope. The response is a model or an array of models.
    public static let none = Envelope(single: [], list: [])

    /// Returns an envelope with the same path for a single model and for a list.
    public static func at(_ path: String...) -> Envelope {
        Envelope(single: path, list: path)
    }

    /// Returns an envelope with a path for a single model and a path for a list. An empty path is the response's root.
    public static func at(single: String..., list: String...) -> Envelope {
        Envelope(single: single, list: list)
    }

    func single<Model>(_ model: Decoding<Model>) -> Decoding<Model> {
        single.isEmpty ? model : .at(single, model)
    }

    func list<Model>(_ model: Decoding<Model>) -> Decoding<[Model]> {
        list.isEmpty ? .array(model) : .at(list, .array(model))
    }
}
