import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(ucrt)
    import ucrt
#endif

/// Reads a body's bytes; may wait for them.
protocol BodyReader: AnyObject {
    /// The next bytes, at most so many; nil at the end.
    func read(upTo count: Int) throws(ServiceError) -> Data?
}

/// A reader on its way to the thread that reads next.
// Unchecked: a reader is made for one sending, which reads one piece after another. The thread that has read hands it
// to the one that reads next, through a lock or a queue, and doesn't touch it any more.
struct SentReader: @unchecked Sendable {
    let reader: any BodyReader
}

// MARK: - Opening

extension RequestBody {
    /// How many bytes it has, nil where that isn't known; looks at files.
    ///
    /// - Throws: `.invalidRequest` where the file is missing or unreadable, and where the length is negative or too large.
    func measure() throws(ServiceError) -> Int64? {
        guard let length = try statedLength() else { return nil }
        guard length >= 0 else { throw .wrongLength("a body can't have \(length) bytes") }
        return length
    }

    private func statedLength() throws(ServiceError) -> Int64? {
        switch form {
        case .data(let data): return Int64(data.count)
        case .file(let url): return try BodyFile(url).size
        case .stream(let length, _): return length
        case .parts(let parts): return parts.length
        case .opened(let body): return body.length
        case .joined(let bodies):
            var sum: Int64 = 0
            for body in bodies {
                guard let length = try body.measure() else { return nil }
                let (longer, isTooLong) = sum.addingReportingOverflow(length)
                if isTooLong {
                    throw .wrongLength("the body's parts are said to have more than \(Int64.max) bytes")
                }
                sum = longer
            }
            return sum
        }
    }

    /// Reads from the beginning. Parts of an asynchronous sequence can't be read so.
    ///
    /// - Parameter length: what it was measured to have; one that has not ends in an error.
    func reader(length: Int64?) throws(ServiceError) -> any BodyReader {
        switch form {
        case .data(let data): return DataReader(data)
        case .file(let url): return try FileReader(url, length: length)
        case .stream(_, let open):
            let stream: InputStream
            do { stream = try open() } catch { throw .unreadable(underlying: error) }
            let reader = StreamReader(stream)
            guard let length else { return reader }
            return MeasuredReader(reader, length: length)
        case .parts: throw .unrepeatable
        case .opened(let body):
            guard let reader = body.take()?.reader else { throw .unrepeatable }
            guard let length else { return reader }
            return MeasuredReader(reader, length: length)
        case .joined(let bodies):
            let reader = JoinedReader(bodies)
            guard let length else { return reader }
            return MeasuredReader(reader, length: length)
        }
    }
}

extension ServiceError {
    static func unreadable(underlying error: (any Error)?) -> ServiceError {
        if let error = error as? ServiceError { return error }
        return ServiceError(
            .invalidRequest, detail: "the stream of the body can't be read", underlying: error)
    }

    static var unrepeatable: ServiceError {
        ServiceError(
            .invalidRequest,
            detail: "the body can be sent once only, and it was, or a redirect asks for it again")
    }

    static func wrongLength(_ detail: String) -> ServiceError {
        ServiceError(.invalidRequest, detail: detail)
    }
}

extension RequestBody {
    /// A stream that can't be opened anew, read while it is sent.
    ///
    /// - Parameter length: how many bytes it has, where that was said.
    static func once(_ stream: InputStream, length: Int64?) -> RequestBody {
        let reader = SentReader(reader: StreamReader(stream))
        return RequestBody(form: .opened(OpenedBody(reader, length: length)))
    }

    /// A stream that can't be opened anew: its bytes where there are few, else what is read on while it is sent.
    ///
    /// - Parameters:
    ///   - length: how many bytes it has, where that was said.
    ///   - isWanted: asked before each read.
    package static func opening(
        _ stream: InputStream, length: Int64?, inMemory limit: Int, while isWanted: () -> Bool
    ) throws(ServiceError) -> RequestBody {
        let reader = StreamReader(stream)
        var data = Data()
        while data.count <= limit {
            guard isWanted() else { throw ServiceError(.cancelled) }
            guard let next = try reader.read(upTo: 64 * 1024) else { return .data(data) }
            data.append(next)
        }
        let rest = SentReader(reader: ResumedReader(data, reader))
        return RequestBody(form: .opened(OpenedBody(rest, length: length)))
    }
}

// MARK: - Kinds

private final class DataReader: BodyReader {
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

/// A regular file, open for reading. Not mapped: a mapped file that becomes shorter ends the process.
private final class BodyFile {
    /// Nil for one that has bytes and says that it has none, as those in /proc do.
    let size: Int64?
    let name: String
    private let descriptor: Int32

    init(_ url: URL) throws(ServiceError) {
        guard url.isFileURL else {
            throw ServiceError(.invalidRequest, detail: "the body's \"\(url.absoluteString)\" is no file URL")
        }
        name = url.lastPathComponent
        // Without waiting for a pipe's other end.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error("can't be opened", name) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ServiceError(.invalidRequest, detail: "the body's \"\(name)\" is not a file")
        }
        var byte: UInt8 = 0
        let isKnown = status.st_size > 0 || pread(descriptor, &byte, 1, 0) == 0
        size = isKnown ? Int64(status.st_size) : nil
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The next bytes; nil at the end.
    func read(upTo count: Int) throws(ServiceError) -> Data? {
        guard let buffer = malloc(max(1, count)) else { throw Self.error("can't be read", name) }
        var received = -1
        repeat { received = systemRead(descriptor, buffer, count) } while received < 0 && errno == EINTR
        guard received > 0 else {
            let error = Self.error("can't be read", name)
            free(buffer)
            if received < 0 { throw error }
            return nil
        }
        return Data(bytesNoCopy: buffer, count: received, deallocator: .free)
    }

    private static func error(_ text: String, _ name: String) -> ServiceError {
        let underlying = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
        return ServiceError(
            .invalidRequest, detail: "the body's file \"\(name)\" \(text)", underlying: underlying)
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// Reads a file that must stay as long as it was, where that is known.
private final class FileReader: BodyReader {
    private let file: BodyFile
    private let length: Int64?
    private var received: Int64 = 0

    init(_ url: URL, length: Int64?) throws(ServiceError) {
        file = try BodyFile(url)
        self.length = length ?? file.size
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        let data = try file.read(upTo: count)
        received += Int64(data?.count ?? 0)
        guard let length else { return data }
        if received > length { throw changed("longer", length) }
        if data == nil, received < length { throw changed("shorter", length) }
        return data
    }

    private func changed(_ how: String, _ length: Int64) -> ServiceError {
        .wrongLength("the body's file \"\(file.name)\" became \(how) than \(length) bytes while it was sent")
    }
}

private final class StreamReader: BodyReader {
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
        guard let buffer = malloc(max(1, count)) else { throw .unreadable(underlying: nil) }
        let received = stream.read(buffer.assumingMemoryBound(to: UInt8.self), maxLength: count)
        guard received > 0 else {
            free(buffer)
            // On Linux, a closed one that is asked for its error ends the process.
            if received < 0 {
                throw .unreadable(underlying: stream.streamStatus == .closed ? nil : stream.streamError)
            }
            return nil
        }
        // What waits is counted by its bytes: a short read must not keep a long buffer.
        if received < count / 2 {
            defer { free(buffer) }
            return Data(bytes: buffer, count: received)
        }
        return Data(bytesNoCopy: buffer, count: received, deallocator: .free)
    }
}

/// Gives what was read before, and reads on.
private final class ResumedReader: BodyReader {
    private let start: DataReader
    private let rest: StreamReader

    init(_ data: Data, _ rest: StreamReader) {
        start = DataReader(data)
        self.rest = rest
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        if let data = start.read(upTo: count) { return data }
        return try rest.read(upTo: count)
    }
}

/// Reads what must have the length that was said.
private final class MeasuredReader: BodyReader {
    private let base: any BodyReader
    private let length: Int64
    private var rest: Int64

    init(_ base: any BodyReader, length: Int64) {
        self.base = base
        self.length = length
        rest = length
    }

    func read(upTo count: Int) throws(ServiceError) -> Data? {
        // The writer of the other end may not close it: what is there is there.
        if rest == 0, length > 0 { return nil }
        guard let data = try base.read(upTo: rest <= Int64(count) ? Int(rest) + 1 : count) else {
            if rest == 0 { return nil }
            throw .wrongLength("the body ended after \(length - rest) of \(length) bytes")
        }
        rest -= Int64(data.count)
        if rest < 0 { throw .wrongLength("the body has more than its \(length) bytes") }
        return data
    }
}

/// Reads one body after the other, each opened when its turn has come.
private final class JoinedReader: BodyReader {
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
