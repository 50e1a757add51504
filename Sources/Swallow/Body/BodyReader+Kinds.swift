import Foundation

final class DataReader: BodyReader {
    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    func read(upTo count: Int) -> Data? {
        if rest.isEmpty { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

final class StreamReader: BodyReader {
    private let stream: InputStream
    private var isOpen = false

    init(_ stream: InputStream) {
        self.stream = stream
    }

    deinit {
        stream.close()
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        if !isOpen {
            isOpen = true
            stream.open()
        }
        var buffer = [UInt8](repeating: 0, count: count)
        let received = stream.read(&buffer, maxLength: count)
        if received < 0 {
            // On Linux, reading the error of a closed stream crashes the process.
            throw .unreadable(underlying: stream.streamStatus == .closed ? nil : stream.streamError)
        }
        return received == 0 ? nil : Data(buffer.prefix(received))
    }
}

final class MeasuredReader: BodyReader {
    private let base: any BodyReader
    private let length: Int64
    private var rest: Int64

    init(_ base: any BodyReader, length: Int64) {
        self.base = base
        self.length = length
        rest = length
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        // The reader stops after a stated length above 0, because the writer of a pipe may never close it.
        if rest == 0, length > 0 { return nil }
        guard let data = try base.read(upTo: rest <= Int64(count) ? Int(rest) + 1 : count) else {
            if rest == 0 { return nil }
            throw .invalidRequest("the body ended after \(length - rest) of \(length) bytes")
        }
        rest -= Int64(data.count)
        if rest < 0 {
            throw .invalidRequest("the body is longer than its stated length of \(length) bytes")
        }
        return data
    }
}

final class PartsReader: BodyReader, Sendable {
    private let pipe: BodyPipe
    private let ready = DispatchSemaphore(value: 0)

    init(_ body: RequestBody) throws(ServiceError) {
        pipe = try BodyPipe(body, run: { $0() }, onReady: { [ready] in ready.signal() })
        pipe.start()
    }

    deinit {
        cancel()
    }

    func cancel() { pipe.cancel() }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            switch pipe.fill(buffer) {
            case .bytes(let count): return Data(buffer.prefix(count))
            case .later: ready.wait()
            case .end: return nil
            case .failure(let error): throw ServiceError(thrown: error, request: nil)
            }
        }
    }
}

final class JoinedReader: BodyReader {
    private var bodies: ArraySlice<RequestBody>
    private var current: (any BodyReader)?

    init(_ bodies: [RequestBody]) {
        self.bodies = bodies[...]
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        while true {
            if let current {
                if let data = try current.read(upTo: count) { return data }
                self.current = nil
            }
            guard let next = bodies.popFirst() else { return nil }
            current = try next.reader(length: try next.measure())
        }
    }
}

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
            throw .invalidRequest("the body's URL \"\(url.absoluteString)\" isn't a file URL")
        }
        name = url.lastPathComponent
        // Without `O_NONBLOCK`, opening a pipe would wait for its other end.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            throw .invalidRequest("the body's file \"\(name)\" can't be opened", underlying: error)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .invalidRequest("the body's file \"\(name)\" isn't a regular file")
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
            throw .invalidRequest("the body's file \"\(name)\" can't be read", underlying: error)
        }
        received += Int64(data?.count ?? 0)
        guard let length else { return data }
        if received > length { throw changed("longer", length) }
        if data == nil, received < length { throw changed("shorter", length) }
        return data
    }

    private func changed(_ how: String, _ length: Int64) -> ServiceError {
        .invalidRequest("the body's file \"\(name)\" became \(how) than \(length) bytes while it was sent")
    }
}
