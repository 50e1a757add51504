import Foundation

/// A response's body with one JSON value on each line, delivered as the lines arrive (JSON Lines, NDJSON).
///
/// ```swift
/// for try await store in service.GET("/stores.jsonl").elements(as: Store.self) { add(store) }
/// ```
///
/// Blank lines are skipped. If a line isn't JSON, the sequence fails with `.unparsable`. If it doesn't fit the type,
/// the sequence fails with `.undecodable`. Apart from this, it works like ``ResponseLines``.
public struct ResponseElements<Element: Decodable & Sendable>: AsyncSequence, Sendable {
    let body: ResponseBody
    let limit: Int
    let decoding: JSON.DecodingOptions

    /// Returns an iterator over the values. If the task wasn't started, the first `next()` starts it.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: LineReader(body, limit: limit), decoding: decoding)
    }

    /// Reads one value after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: LineReader
        fileprivate let decoding: JSON.DecodingOptions
        private var number = 0

        fileprivate init(lines: LineReader, decoding: JSON.DecodingOptions) {
            self.lines = lines
            self.decoding = decoding
        }

        /// Returns the next value, or `nil` after the last value and after an error.
        public mutating func next() async throws(ServiceError) -> Element? {
            while let line = try await lines.next({ Data($0) }) {
                number += 1
                if line.allSatisfy(\.isJSONSpace) { continue }
                do {
                    return try JSON(parsing: line).decode(Element.self, options: decoding)
                } catch {
                    lines.end()
                    throw ServiceError(
                        thrown: error, detail: "line \(number) can't be decoded as \(Element.self)")
                }
            }
            return nil
        }

        /// Returns the next value, or `nil` after the last value and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError)
            -> Element?
        {
            try await next()
        }
    }
}

extension ServiceTask {
    /// Returns the response's body as values of a type, one for each line of JSON, decoded with the service's
    /// ``WebService/Configuration/jsonDecoding``. Read either the values or ``body``. If a line has more than `limit`
    /// bytes, by default 1 MiB, the sequence fails with `.invalidResponse`.
    public func elements<Element: Decodable & Sendable>(
        as type: Element.Type = Element.self, limit: Int = ResponseLines.standardLimit
    ) -> ResponseElements<Element> {
        ResponseElements(body: body, limit: limit, decoding: request.jsonDecoding)
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
