import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A socket that sends exactly the bytes of a test. Its calls block, so it runs on its own thread and doesn't delay
/// other tests.
actor RawClient {
    struct Response: Sendable {
        let status: Int
        let headers: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
        }
    }

    enum Failure: Error {
        case socket(Int32)
        case closed
        case unreadable(String)
    }

    private let descriptor: Int32
    private let executor = ThreadExecutor()
    private var input = Data()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(port: UInt16) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        #if canImport(Darwin)
            var isSilent: Int32 = 1
            _ = setsockopt(
                descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isSilent, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard outcome == 0 else { throw Failure.socket(errno) }
        // If the peer doesn't respond, the test fails after ten minutes.
        var timeout = timeval(tv_sec: 600, tv_usec: 0)
        _ = setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        _ = close(descriptor)
    }

    func write(_ text: String) throws {
        try write(Data(text.utf8))
    }

    func write(_ data: Data) throws {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = data
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                bytes.baseAddress.map { send(descriptor, $0, bytes.count, flags) } ?? 0
            }
            guard sent > 0 else { throw Failure.socket(errno) }
            rest = rest.dropFirst(sent)
        }
    }

    func request(
        _ method: String, _ target: String, headers: String = "", body: String = ""
    ) throws -> Response {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try write("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\(length)\r\n\(body)")
        return try readResponse(hasBody: method != "HEAD")
    }

    /// Reads one response. Its body must be chunked or have a `Content-Length`.
    func readResponse(hasBody: Bool = true) throws -> Response {
        let lines = try readHead().components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { throw Failure.unreadable(lines[0]) }
        let fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (
                line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
            )
        }
        let headers = Dictionary(fields) { $1 }
        guard hasBody, status >= 200, status != 204, status != 304 else {
            return Response(status: status, headers: headers, body: Data())
        }
        if headers["transfer-encoding"] == "chunked" {
            return Response(status: status, headers: headers, body: try readChunks())
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        return Response(status: status, headers: headers, body: try read(length))
    }

    /// Returns the bytes that arrive until the peer closes the connection.
    func readToEnd() throws -> Data {
        do {
            while true { try fill() }
        } catch Failure.closed {
            defer { input = Data() }
            return input
        }
    }

    func readHead() throws -> String {
        String(decoding: try read(through: "\r\n\r\n").dropLast(4), as: UTF8.self)
    }

    func read(_ count: Int) throws -> Data {
        while input.count < count { try fill() }
        defer { input = Data(input.dropFirst(count)) }
        return Data(input.prefix(count))
    }

    private func readChunks() throws -> Data {
        var body = Data()
        while true {
            let line = try read(through: "\r\n").dropLast(2)
            guard let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
                throw Failure.unreadable(String(decoding: line, as: UTF8.self))
            }
            body += try read(size)
            _ = try read(2)
            if size == 0 { return body }
        }
    }

    private func read(through mark: String) throws -> Data {
        while true {
            if let end = input.range(of: Data(mark.utf8))?.upperBound {
                return try read(end - input.startIndex)
            }
            try fill()
        }
    }

    private func fill() throws {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw Failure.socket(errno) }
        guard count > 0 else { throw Failure.closed }
        input += bytes[..<count]
    }
}

/// Runs an actor's jobs on its own serial queue.
private final class ThreadExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "RawClient")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
