import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Checks for the end of a test.
extension StubDataSource {
    /// A request that was sent, by its position in ``requests``; one that isn't there is empty: `stub.request(0).json`.
    public func request(_ index: Int) -> SentRequest {
        let requests = requests
        return SentRequest(requests.indices.contains(index) ? requests[index] : nil)
    }

    /// How many requests of a method and path were sent; the path is matched as a stub's.
    public func count(_ method: Request.Method, _ path: URLPattern) -> Int {
        let pattern = RequestPattern(method: method, path: path, query: [:], headers: [:], body: nil)
        return requests.count { pattern.matches($0) }
    }

    /// The stubs, as an error names them, and how many requests each has answered, in the order added.
    package var uses: [(stub: String, count: Int)] {
        stubs.map { ($0.description, $0.count) }
    }

    /// The stubs that no request has asked for, in the order added, without those that a later one for the same requests
    /// has replaced.
    public var unusedStubs: [String] {
        let stubs = stubs
        let unused = stubs.indices.filter { place in
            stubs[place].count == 0 && !stubs[(place + 1)...].contains { $0.replaces(stubs[place]) }
        }
        return unused.map { stubs[$0].description }
    }

    /// Throws an error that lists them, if there are any: `try stub.verify()` at a test's end.
    public func verify() throws {
        let unused = unusedStubs
        if !unused.isEmpty { throw UnusedStubs(stubs: unused) }
    }
}

/// Stubs that a test made, and that no request asked for.
package struct UnusedStubs: Error, CustomStringConvertible, LocalizedError {
    /// Their methods and paths.
    package let stubs: [String]

    package var description: String { "no request asked for \(stubs.joined(separator: "; "))" }

    package var errorDescription: String? { description }
}

/// A request as a ``StubDataSource`` got it.
public struct SentRequest: Sendable {
    /// The request itself, with its body in `httpBody`; nil if there was none.
    public let urlRequest: URLRequest?

    init(_ urlRequest: URLRequest?) {
        self.urlRequest = urlRequest
    }

    /// The method, empty if there was no request.
    public var method: String { urlRequest.map { $0.httpMethod ?? "GET" } ?? "" }

    /// The URL, as text; empty if there was no request.
    public var url: String { urlRequest?.url?.absoluteString ?? "" }

    /// The body's bytes; empty if there was none.
    public var body: Data { urlRequest?.httpBody ?? Data() }

    /// The body, parsed; `.missing` if there was none, or it isn't JSON.
    public var json: JSON { (try? JSON(parsing: body)) ?? .missing }

    /// The body as UTF-8; invalid bytes become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a header field, by its name in any case.
    public subscript(_ name: Headers.Name) -> String? {
        urlRequest?.value(forHTTPHeaderField: name.rawValue)
    }

    /// The first value of an item of the query, percent-decoded; empty for one without a value.
    public func query(_ name: String) -> String? {
        QueryItem.items(of: urlRequest?.url).first { $0.name == name }.map { $0.value ?? "" }
    }
}
