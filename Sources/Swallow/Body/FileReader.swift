import Foundation

/// Reads a regular file. It isn't mapped into memory, because a mapped file that gets shorter crashes the process.
final class FileReader: BodyReader {
    /// The size in bytes. `nil` for a file that has bytes although it reports a size of 0, like the files in `/proc`.
    let size: Int64?
    private let name: String
    private let handle: FileHandle
    private let length: Int64?
    private var received: Int64 = 0

    init(_ url: URL, length: Int64? = nil) throws(ServiceError) {
        guard url.isFileURL else {
            throw ServiceError(
                .invalidRequest, detail: "the body's URL \"\(url.absoluteString)\" isn't a file URL")
        }
        name = url.lastPathComponent
        // Without `O_NONBLOCK`, opening a pipe would wait for its other end.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            throw ServiceError(
                .invalidRequest, detail: "the body's file \"\(name)\" can't be opened", underlying: error)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ServiceError(.invalidRequest, detail: "the body's file \"\(name)\" isn't a regular file")
        }
        var byte: UInt8 = 0
        let isKnown = status.st_size > 0 || pread(descriptor, &byte, 1, 0) == 0
        size = isKnown ? Int64(status.st_size) : nil
        self.length = length ?? size
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        let data: Data?
        do {
            data = try handle.read(upToCount: count).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw ServiceError(
                .invalidRequest, detail: "the body's file \"\(name)\" can't be read", underlying: error)
        }
        received += Int64(data?.count ?? 0)
        guard let length else { return data }
        if received > length { throw changed("longer", length) }
        if data == nil, received < length { throw changed("shorter", length) }
        return data
    }

    private func changed(_ how: String, _ length: Int64) -> ServiceError {
        .wrongLength("the body's file \"\(name)\" became \(how) than \(length) bytes while it was sent")
    }
}
