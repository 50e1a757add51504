import Foundation

/// A response's body as lines of text, delivered as they arrive.
///
/// ```swift
/// for try await line in service.GET("/log").lines { print(line) }
/// ```
///
/// LF, or CR and LF, terminates a line and isn't part of it. Invalid UTF-8 is decoded as U+FFFD. If a line is too long,
/// the sequence fails with `.invalidResponse`. Apart from this, it works like ``ResponseBody``.
public struct ResponseLines: AsyncSequence, Sendable {
    @usableFromInline static let standardLimit = 1024 * 1024

    let body: ResponseBody
    let limit: Int

    /// Returns an iterator over the lines. If the task wasn't started, the first `next()` starts it.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: LineReader(body, limit: limit))
    }

    /// Reads one line after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: LineReader

        /// Returns the next line, or `nil` after the last line and after an error.
        public mutating func next() async throws(ServiceError) -> String? {
            if let line = try lines.nextNow(Self.text) { return line }
            return try await lines.next(Self.text)
        }

        /// Returns the next line, or `nil` after the last line and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError)
            -> String?
        {
            if let line = try lines.nextNow(Self.text) { return line }
            return try await lines.next(Self.text)
        }

        private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
            String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension ServiceTask {
    /// The response's body as lines of text of at most 1 MiB, as they arrive. Read either the lines or ``body``.
    public var lines: ResponseLines { lines(limit: ResponseLines.standardLimit) }

    /// Returns the body's lines as they arrive. Reading fails with `.invalidResponse` if a line exceeds `limit` bytes.
    public func lines(limit: Int) -> ResponseLines { ResponseLines(body: body, limit: limit) }
}

struct LineReader {
    private var parts: ResponseBody.AsyncIterator?
    private var splitter: LineSplitter
    private let limit: Int

    init(_ body: ResponseBody, limit: Int) {
        parts = body.makeAsyncIterator()
        splitter = LineSplitter(limit: limit)
        self.limit = limit
    }

    mutating func end() { parts = nil }

    /// Returns a line that has arrived, or `nil`. Reading short lines is faster without suspending.
    mutating func nextNow<Line>(
        _ make: (UnsafeRawBufferPointer) throws -> Line
    ) throws(ServiceError) -> Line? {
        if parts == nil { return nil }
        do { return try splitter.next(make) } catch { throw end(with: error) }
    }

    mutating func next<Line>(
        _ make: (UnsafeRawBufferPointer) throws -> Line
    ) async throws(ServiceError) -> Line? {
        while parts != nil {
            if let line = try nextNow(make) { return line }
            do {
                guard let part = try await parts?.next() else {
                    parts = nil
                    return try splitter.last(make)
                }
                splitter.append(part)
            } catch {
                throw end(with: error)
            }
        }
        return nil
    }

    private mutating func end(with error: any Error) -> ServiceError {
        parts = nil
        if error is LineSplitter.Overflow {
            return ServiceError(.invalidResponse, detail: "a line has more than \(limit) bytes")
        }
        return ServiceError(thrown: error)
    }
}
