import Foundation
import Swallow

enum HARText {
    /// Returns UTF-8 as it is if `mimeType` names no charset except UTF-8 or US-ASCII. Otherwise, returns Base64.
    static func text(of data: Data, mimeType: String) -> (text: String, isBase64: Bool) {
        let text = String(decoding: data, as: UTF8.self)
        let isBase64 = charset(of: mimeType) != nil || Data(text.utf8) != data
        return (isBase64 ? data.base64EncodedString() : text, isBase64)
    }

    static func data(of text: String, encoding: String?, mimeType: String) -> Data? {
        if encoding?.lowercased() == "base64" {
            return Data(base64Encoded: text, options: .ignoreUnknownCharacters)
        }
        let encoding = charset(of: mimeType).flatMap { TextDecoding.encoding(named: $0) }
        return encoding.flatMap { text.data(using: $0) } ?? Data(text.utf8)
    }

    private static func charset(of mimeType: String) -> String? {
        let charset = MediaType(mimeType).charset?.lowercased()
        return charset.flatMap { ["", "utf-8", "utf8", "us-ascii", "ascii"].contains($0) ? nil : $0 }
    }
}

extension HAR {
    static func bodiesFolder(of recording: URL) -> URL {
        recording.deletingPathExtension().appendingPathExtension("bodies")
    }
}

extension HAR.Entry {
    /// Returns the entry. Its response body is moved to a file if it has more than `largest` bytes.
    func withBodyInFile(of recording: URL, over largest: Int?) throws -> HAR.Entry {
        let content = response.content
        guard let largest, content.file == nil, let data = content.data, data.count > largest else {
            return self
        }
        let folder = HAR.bodiesFolder(of: recording)
        let digest = SHA256.hexadecimal(SHA256.digest(of: Array(data)))
        let file = folder.appending(path: "\(digest.prefix(16)).\(content.extension)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        let name = "\(folder.lastPathComponent)/\(file.lastPathComponent)"
        var entry = self
        entry.response.content = HAR.Content(file: name, size: data.count, mimeType: content.mimeType)
        return entry
    }
}

extension HAR.Content {
    /// Returns the body's bytes, or throws `.invalidResponse`. `folder` is the recording's folder.
    package func bytes(in folder: URL?) throws(ServiceError) -> Data {
        if let data { return data }
        guard let file else {
            let problem = text == nil ? "its \(size) bytes were not recorded" : "its Base64 can't be read"
            throw ServiceError(.invalidResponse, detail: "the recorded body is missing: \(problem)")
        }
        // A recording from an unknown source must not expose files outside its folder, even through a link.
        guard let folder = folder?.resolvingSymlinksInPath(), !file.hasPrefix("/"),
            case let target = folder.appending(path: file).resolvingSymlinksInPath(),
            target.path.hasPrefix("\(folder.path)/"), !target.pathComponents.contains("..")
        else {
            throw ServiceError(
                .invalidResponse,
                detail: "the recorded body's file \(file) isn't in the folder of the recording")
        }
        do {
            return try Data(contentsOf: target)
        } catch {
            throw ServiceError(
                .invalidResponse, detail: "the recorded body's file \(file) can't be read", underlying: error)
        }
    }

    fileprivate var `extension`: String {
        let type = MediaType(mimeType)
        if type.isJSON { return "json" }
        if type.name.hasSuffix("/xml") { return "xml" }
        let known = ["html", "css", "csv", "js", "pdf", "png", "jpg", "gif", "svg", "webp"]
        return known.first { FileContentType.of("body.\($0)") == type.name }
            ?? (type.name.hasPrefix("text/") ? "txt" : "bin")
    }
}
