import Foundation

/// The media types of the files that tests have.
enum FileContentType {
    /// The media type that goes with a file name's extension.
    static func of(_ file: URL) -> String {
        types[file.pathExtension.lowercased()] ?? "application/octet-stream"
    }

    private static let types = [
        "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "txt": "text/plain", "html": "text/html", "htm": "text/html", "css": "text/css", "csv": "text/csv",
        "js": "text/javascript", "md": "text/markdown",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "svg": "image/svg+xml", "webp": "image/webp", "heic": "image/heic",
    ]
}
