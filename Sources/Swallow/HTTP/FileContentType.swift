import Foundation

package enum FileContentType {
    package static let unknown = "application/octet-stream"

    package static func of(_ file: URL) -> String { of(file.lastPathComponent) }

    package static func of(_ name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return unknown }
        return types[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let types = [
        "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "tar": "application/x-tar",
        "wasm": "application/wasm", "rtf": "application/rtf",
        "doc": "application/msword", "xls": "application/vnd.ms-excel",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "txt": "text/plain", "log": "text/plain", "html": "text/html", "htm": "text/html", "css": "text/css",
        "csv": "text/csv", "js": "text/javascript", "mjs": "text/javascript", "md": "text/markdown",
        "ics": "text/calendar", "vcf": "text/vcard",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "svg": "image/svg+xml", "webp": "image/webp", "heic": "image/heic", "avif": "image/avif",
        "tif": "image/tiff", "tiff": "image/tiff", "bmp": "image/bmp", "ico": "image/vnd.microsoft.icon",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "wav": "audio/wav", "ogg": "audio/ogg", "flac": "audio/flac",
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    ]
}
