import Foundation

/// A form of fields and files in the format `multipart/form-data` (RFC 7578).
///
/// ```swift
/// let form = Request.Option.multipart { form in
///     form.append("Gate", named: "title")
///     form.append(file: poster, named: "poster")
/// }
/// service.POST("/films", options: [form])
/// ```
///
/// Fields are sent in the order of the calls. Files and streams are read while the form is sent. In names, `"`, CR and
/// LF become `%22`, `%0D` and `%0A`. In a field's name, a lone CR or LF becomes CR LF first (WHATWG HTML §4.10.21.8).
public struct MultipartForm: Sendable {
    struct Field: Sendable {
        let name: String
        let fileName: String?
        let contentType: String?
        let body: RequestBody
    }

    private(set) var fields: [Field] = []
    private(set) var problem: String?
    private let boundary: String

    /// Creates a form without fields.
    public init() {
        boundary = Self.randomBoundary()
    }

    init(boundary: String) {
        self.boundary = boundary
    }

    /// Adds a text field in UTF-8 without a content type.
    public mutating func append(_ text: String, named name: String) {
        fields.append(Field(name: name, fileName: nil, contentType: nil, body: .data(Data(text.utf8))))
    }

    /// Adds bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The field's name.
    ///   - fileName: The name that makes the bytes a file. `nil`, the default, adds a plain field.
    ///   - contentType: The content type. By default, the file extension's type, or `application/octet-stream`.
    public mutating func append(
        _ data: Data, named name: String, fileName: String? = nil, contentType: String? = nil
    ) {
        append(.data(data), name, fileName, contentType)
    }

    /// Adds a file. It is read each time the form is sent.
    ///
    /// - Parameters:
    ///   - file: The file's URL. If the file can't be read, the task fails, for example with `.invalidRequest`.
    ///   - name: The field's name.
    ///   - fileName: The file's name. The default is the last component of the URL.
    ///   - contentType: The content type. By default, the file extension's type, or `application/octet-stream`.
    public mutating func append(
        file: URL, named name: String, fileName: String? = nil, contentType: String? = nil
    ) {
        append(.file(file), name, fileName ?? file.lastPathComponent, contentType)
    }

    /// Adds the bytes of a stream.
    ///
    /// - Parameters:
    ///   - length: The length in bytes. `nil`, the default, if it isn't known.
    ///   - name: The field's name.
    ///   - fileName: The name that makes the bytes a file. `nil`, the default, adds a plain field.
    ///   - contentType: The content type. By default, the file extension's type, or `application/octet-stream`.
    ///   - open: Returns the unopened stream. Called each time the form is sent, on a thread that may block.
    public mutating func append(
        stream open: @escaping @Sendable () throws -> InputStream, length: Int64? = nil, named name: String,
        fileName: String? = nil, contentType: String? = nil
    ) {
        append(.stream(length: length, open: open), name, fileName, contentType)
    }

    private mutating func append(
        _ body: RequestBody, _ name: String, _ fileName: String?, _ contentType: String?
    ) {
        let type = contentType ?? fileName.map { FileContentType.of($0) } ?? FileContentType.unknown
        problem = problem ?? Headers.problem(of: .contentType, type)
        fields.append(Field(name: name, fileName: fileName, contentType: type, body: body))
    }
}

extension MultipartForm {
    func encoded() -> (body: RequestBody, contentType: String) {
        var boundary = boundary
        // The check doesn't include files and streams, but 128 random bits make a collision unlikely enough.
        while fields.contains(where: { $0.contains(boundary) }) { boundary = Self.randomBoundary() }
        var pieces: [RequestBody] = []
        var text = Data()
        for field in fields {
            text.append(Data("--\(boundary)\r\n\(field.head)".utf8))
            if let data = field.body.data, data.count <= Self.copiedSize {
                text.append(data)
            } else {
                pieces += [.data(text), field.body]
                text = Data()
            }
            text.append(Data("\r\n".utf8))
        }
        text.append(Data("--\(boundary)--\r\n".utf8))
        let type = "multipart/form-data; boundary=\(boundary)"
        return (pieces.isEmpty ? .data(text) : .joined(pieces + [.data(text)]), type)
    }

    private static let copiedSize = 256 * 1024

    private static func randomBoundary() -> String {
        "swallow-" + SHA256.hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }

    fileprivate static func withNewlines(_ name: String) -> String {
        name.split(omittingEmptySubsequences: false) { ["\r", "\n", "\r\n"].contains($0) }
            .joined(separator: "\r\n")
    }

    fileprivate static func escaped(_ name: String) -> String {
        name.replacingScalar("\"", with: "%22").replacingScalar("\r", with: "%0D")
            .replacingScalar("\n", with: "%0A")
    }
}

extension MultipartForm.Field {
    fileprivate var head: String {
        var head =
            "Content-Disposition: form-data; name=\"\(MultipartForm.escaped(MultipartForm.withNewlines(name)))\""
        if let fileName { head += "; filename=\"\(MultipartForm.escaped(fileName))\"" }
        if let contentType { head += "\r\nContent-Type: \(contentType)" }
        return head + "\r\n\r\n"
    }

    fileprivate func contains(_ boundary: String) -> Bool {
        let bytes = Data(boundary.utf8)
        return body.data?.range(of: bytes) != nil || Data(head.utf8).range(of: bytes) != nil
    }
}
