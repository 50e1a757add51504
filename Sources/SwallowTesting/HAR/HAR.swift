import Foundation
import Swallow

/// A recording of HTTP exchanges in the format HAR 1.2, which browsers and proxies also use.
///
/// ```swift
/// let har = try HAR(contentsOf: url)
/// for entry in har.entries {
///     print(entry.request.method, entry.request.url, entry.response.status)
/// }
/// ```
///
/// The properties read and change a JSON document. Other members of the document, such as Chrome's `_initiator`, are
/// preserved, except in a body or field that you replace. The document must have the array `log.entries`. All other
/// members may be missing.
public struct HAR: Sendable, Hashable, HARObject {
    package var json: JSON

    package init(json: JSON) {
        self.json = json
    }

    package init(entries: [Entry] = []) {
        json = [
            "log": [
                "version": "1.2",
                "creator": ["name": "Swallow", "version": "1.0"],
                "entries": .array(entries.map(\.json)),
            ]
        ]
    }

    /// Parses a recording from UTF-8 JSON. A byte order mark at the beginning is skipped.
    ///
    /// - Throws: A `ServiceError` of reason `.unparsable` if the data isn't JSON or has no array `log.entries`.
    public init(parsing data: Data) throws(ServiceError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = data.starts(with: mark) ? Data(data.dropFirst(mark.count)) : data
        do {
            json = try JSON(parsing: bytes)
        } catch {
            throw ServiceError(.unparsable, detail: "the data isn't a HAR", underlying: error)
        }
        guard json["log"]["entries"].kind == .array else {
            throw ServiceError(
                .unparsable, detail: "the data isn't a HAR because it has no array log.entries")
        }
    }

    /// Reads a recording from a file.
    ///
    /// - Throws: A `ServiceError` that names the file. The reason is `.invalidResponse` for an unreadable file, or
    ///   `.unparsable` for a file that isn't a HAR.
    public init(contentsOf file: URL) throws(ServiceError) {
        do {
            try self.init(parsing: Data(contentsOf: file))
        } catch let error as ServiceError {
            throw ServiceError(
                error.reason, detail: "\(file.path) isn't a HAR", underlying: error.underlying ?? error)
        } catch {
            throw ServiceError(
                .invalidResponse, detail: "\(file.path) can't be read", underlying: error)
        }
    }

    /// The recorded exchanges, in the order of the file.
    public var entries: [Entry] {
        get { json["log"]["entries"].elements.map(Entry.init) }
        set {
            json = json.setting("log", to: json["log"].setting("entries", to: .array(newValue.map(\.json))))
        }
    }

    /// The document as indented UTF-8 text, so that version control can show which lines have changed.
    public var data: Data { Data("\(json.prettyPrinted)\n".utf8) }
}

package protocol HARObject: Sendable, Hashable {
    var json: JSON { get set }
    init(json: JSON)
}

extension HARObject {
    package subscript(name: String) -> JSON {
        get { json[name] }
        set { json = json.setting(name, to: newValue) }
    }

    func parts<Part: HARObject>(_ name: String) -> [Part] { json[name].elements.map(Part.init) }

    package var headerFields: [HAR.Field] {
        get { parts("headers") }
        set { self["headers"] = .array(newValue.map(\.json)) }
    }

    mutating func setHeaders(_ headers: Headers) {
        let old = headerFields
        headerFields =
            old.filter { $0.name.hasPrefix(":") }
            + headers.map { name, value in
                old.first { $0.name == name.rawValue && $0.value == value } ?? HAR.Field(name.rawValue, value)
            }
    }
}

protocol HARMessage: HARObject {
    /// The members that repeat parts of the URL and the header fields.
    var repetitions: JSON { get }
}

extension HARMessage {
    /// Derives the members again that repeat parts that have changed since `old`. With `nil`, derives all of them.
    mutating func updateRepetitions(since old: Self? = nil) {
        let earlier = old?.repetitions ?? [:]
        for (name, value) in repetitions.members where value != earlier[name] { self[name] = value }
        guard let type = old?.contentType, type != contentType else { return }
        for name in ["postData", "content"] where self[name]["mimeType"].string == type {
            self[name] = self[name].setting("mimeType", to: .string(contentType ?? ""))
        }
    }

    private var contentType: String? { Headers(headerFields)[.contentType] }
}

extension JSON {
    func setting(_ name: String, to value: JSON) -> JSON {
        var members = members.map { ($0.key, $0.value) }
        if let place = members.firstIndex(where: { $0.0 == name }) {
            members[place].1 = value
        } else {
            members.append((name, value))
        }
        return .object(members)
    }
}
