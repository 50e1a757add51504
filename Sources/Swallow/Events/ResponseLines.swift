import Foundation

/// A response's body as lines of text, as they come.
///
/// ```swift
/// for try await line in service.GET("/log").lines { print(line) }
/// ```
///
/// A line ends in LF or in CR and LF, which aren't part of it; what follows the last one is a line, too, unless it is empty.
/// The text is UTF-8; bytes that aren't are replaced by U+FFFD. A line that is too long ends in `.invalidResponse`. All
/// else is as with ``ResponseBody``: back-pressure, one loop, and leaving it cancels the task.
public struct ResponseLines: AsyncSequence, Sendable {
    /// How long a line may be, in bytes, unless the caller says otherwise: 1 MB.
    @usableFromInline static let standardLimit = 1024 * 1024

    let body: ResponseBody
    let limit: Int

    /// Reads the lines; starts a task that was never started.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: LineReader(body, limit: limit))
    }

    /// Reads the lines, one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: LineReader

        /// The next line; nil after the last, and after an error.
        public mutating func next() async throws(ServiceError) -> String? {
            if let line = try lines.nextNow(Self.text) { return line }
            return try await lines.next(Self.text)
        }

        /// The next line; nil after the last, and after an error.
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
    /// The response's body as lines of text, as they come; a line has at most 1 MB. It claims ``body``.
    public var lines: ResponseLines { lines(limit: ResponseLines.standardLimit) }

    /// The response's body as lines of text, as they come.
    ///
    /// - Parameter limit: how many bytes a line may have; a longer one ends in `.invalidResponse`.
    public func lines(limit: Int) -> ResponseLines { ResponseLines(body: body, limit: limit) }
}

/// Reads a body line by line, as bytes.
struct LineReader {
    /// Nil after the end, so that the transfer doesn't go on after an error.
    private var parts: ResponseBody.AsyncIterator?
    private var splitter: LineSplitter
    private let limit: Int

    init(_ body: ResponseBody, limit: Int) {
        parts = body.makeAsyncIterator()
        splitter = LineSplitter(limit: limit)
        self.limit = limit
    }

    /// Ends the transfer, if it goes on.
    mutating func end() { parts = nil }

    /// The next line that is here already, made of its bytes.
    ///
    /// A call that can't suspend: asked first, it makes lines of 40 bytes half as fast again as ``next(_:)`` alone.
    mutating func nextNow<Line>(
        _ make: (UnsafeRawBufferPointer) throws -> Line
    ) throws(ServiceError) -> Line? {
        if parts == nil { return nil }
        do { return try splitter.next(make) } catch { throw end(with: error) }
    }

    /// The next line, made of its bytes; nil after the last, and after an error.
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
