import Foundation
import Swallow

/// A recording of HTTP exchanges in the format HAR 1.2, which browsers' developer tools, proxies and this package
/// read and write.
///
/// ```swift
/// let har = try HAR(contentsOf: url)
/// for entry in har.entries {
///     print(entry.request.method, entry.request.url, entry.response.status)
/// }
/// ```
///
/// It, and each of its parts, is a JSON object with properties for the members that matter to replay and redaction. What
/// a tool has added, or left out, is no error: all other members, such as Chrome's `_initiator`, are kept where they are.
public struct HAR: Sendable, Hashable, HARObject {
    /// The document: an object with the one member `log`.
    package var json: JSON

    /// Takes a document that was parsed before.
    package init(json: JSON) {
        self.json = json
    }

    /// Makes a recording; by default an empty one of this package's.
    package init(creator: String = "Swallow", version: String = "1.0", entries: [Entry] = []) {
        json = [
            "log": [
                "version": "1.2",
                "creator": ["name": .string(creator), "version": .string(version)],
                "entries": .array(entries.map(\.json)),
            ]
        ]
    }

    /// Reads a recording; a byte order mark before it is skipped.
    ///
    /// - Throws: a `ServiceError` of reason `.unparsable` for data that isn't JSON, or has no `log.entries`.
    public init(parsing data: Data) throws(ServiceError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = data.starts(with: mark) ? Data(data.dropFirst(mark.count)) : data
        do {
            json = try JSON(parsing: bytes)
        } catch {
            throw ServiceError(.unparsable, detail: "this is no HAR", underlying: error)
        }
        guard json["log"]["entries"].kind == .array else {
            throw ServiceError(.unparsable, detail: "this is no HAR: it has no array log.entries")
        }
    }

    /// Reads a file.
    ///
    /// - Throws: a `ServiceError` that names the file: of reason `.invalidResponse` if it can't be read, of reason
    ///   `.unparsable` if it is no HAR.
    public init(contentsOf file: URL) throws(ServiceError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ServiceError(
                .invalidResponse, detail: "\(file.path) can't be read", underlying: error)
        }
        do {
            try self.init(parsing: data)
        } catch {
            throw ServiceError(
                error.reason, detail: "\(file.path) is no HAR", underlying: error.underlying ?? error)
        }
    }

    /// The version of the format: `1.2`.
    package var version: String { json["log"]["version"].string ?? "1.1" }

    /// The name of the program that wrote it; empty where that isn't told.
    package var creator: String { json["log"]["creator"]["name"].string ?? "" }

    /// The exchanges, in the order of the file.
    public var entries: [Entry] {
        get { json["log"]["entries"].elements.map(Entry.init) }
        set {
            json = json.setting("log", to: json["log"].setting("entries", to: .array(newValue.map(\.json))))
        }
    }

    /// The document as text in UTF-8, in lines that a version control can compare.
    public var data: Data { Data("\(json.prettyPrinted)\n".utf8) }
}

/// A part of a ``HAR``: a JSON object with properties for some of its members.
package protocol HARObject: Sendable, Hashable {
    /// The object, with all its members.
    var json: JSON { get set }
    /// Takes an object as it is; nothing is checked.
    init(json: JSON)
}

extension HARObject {
    /// A member by its name, one of the tools' own (`_initiator`) too; `.missing` where there is none.
    ///
    /// Setting `.missing` removes the member; another value keeps its place.
    package subscript(name: String) -> JSON {
        get { json[name] }
        set { json = json.setting(name, to: newValue) }
    }

    /// The parts that are the elements of an array; none where there is no array.
    func parts<Part: HARObject>(_ name: String) -> [Part] { json[name].elements.map(Part.init) }

    /// The header fields as they are written, also those of HTTP/2's start line.
    package var headerFields: [HAR.Field] {
        get { parts("headers") }
        set { self["headers"] = .array(newValue.map(\.json)) }
    }

    /// Sets the header fields; those that stay as they are keep what a tool has noted of them.
    mutating func setHeaders(_ headers: Headers) {
        let old = headerFields
        headerFields =
            old.filter { $0.name.hasPrefix(":") }
            + headers.map { name, value in
                old.first { $0.name == name.rawValue && $0.value == value } ?? HAR.Field(name.rawValue, value)
            }
    }
}

extension JSON {
    /// The same object with another value for a name, in the same place where it had one.
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
