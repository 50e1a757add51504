import Foundation

/// A response's body of one JSON value a line, as they come (JSON lines, NDJSON).
///
/// ```swift
/// for try await store in service.GET("/stores.jsonl").elements(as: Store.self) { add(store) }
/// ```
///
/// Empty lines are passed over. A line that isn't JSON ends in `.unparsable`, one of another form in `.undecodable`; the
/// error names the line. All else is as with ``ResponseLines``.
public struct ResponseElements<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let body: ResponseBody
    let limit: Int
    let decoding: JSON.DecodingOptions

    /// Reads the values; starts a task that was never started.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: LineReader(body, limit: limit), decoding: decoding)
    }

    /// Reads the values, one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: LineReader
        fileprivate let decoding: JSON.DecodingOptions
        private var number = 0

        fileprivate init(lines: LineReader, decoding: JSON.DecodingOptions) {
            self.lines = lines
            self.decoding = decoding
        }

        /// The next value; nil after the last, and after an error.
        public mutating func next() async throws(ServiceError) -> Element? {
            while let line = try await lines.next({ Data($0) }) {
                number += 1
                if line.allSatisfy(\.isJSONSpace) { continue }
                do {
                    return try JSON(parsing: line).decode(Element.self, options: decoding)
                } catch {
                    lines.end()
                    throw ServiceError(thrown: error, detail: "line \(number) is no \(Element.self)")
                }
            }
            return nil
        }

        /// The next value; nil after the last, and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError)
            -> Element?
        {
            try await next()
        }
    }
}

extension ServiceTask {
    /// The response's body as values of a type, one a line of JSON, decoded as they come. It claims ``body``.
    ///
    /// - Parameters:
    ///   - type: what each line is decoded as, by the service's ``Configuration/jsonDecoding``.
    ///   - limit: how many bytes a line may have, 1 MB by default; a longer one ends in `.invalidResponse`.
    public func elements<Element: Decodable & Sendable>(
        as type: Element.Type = Element.self, limit: Int = ResponseLines.standardLimit
    ) -> ResponseElements<Element> {
        ResponseElements(body: body, limit: limit, decoding: request.jsonDecoding)
    }
}

extension UInt8 {
    /// Whether it may stand between JSON's values (RFC 8259 §2).
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
