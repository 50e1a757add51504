import Foundation
import Swallow

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
        return Self.extensions[type.name] ?? (type.name.hasPrefix("text/") ? "txt" : "bin")
    }

    private static let extensions = [
        "text/html": "html", "text/css": "css", "text/csv": "csv", "text/javascript": "js", "text/xml": "xml",
        "application/xml": "xml", "application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg",
        "image/gif": "gif", "image/svg+xml": "svg", "image/webp": "webp",
    ]
}
