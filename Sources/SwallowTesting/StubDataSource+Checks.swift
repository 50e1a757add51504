import Foundation
import Swallow

extension StubDataSource {
    /// Returns the request at an index of ``requests``. Beyond the last request, the result's properties are empty.
    public func request(_ index: Int) -> SentRequest {
        let requests = requests
        return SentRequest(urlRequest: requests.indices.contains(index) ? requests[index] : nil)
    }

    /// Returns how many requests with this method and path were sent. The path is matched as in a stub.
    public func count(_ method: Request.Method, _ path: URLPattern) -> Int {
        let pattern = RequestPattern(method: method, path: path, query: [:], headers: [:], body: nil)
        return requests.count { pattern.matches($0) }
    }

    /// The stubs that no request has used, in the order added. A stub that a later stub has replaced isn't included.
    public var unusedStubs: [String] {
        let stubs = stubs
        let unused = stubs.indices.filter { place in
            stubs[place].count == 0 && !stubs[(place + 1)...].contains { $0.replaces(stubs[place]) }
        }
        return unused.map { stubs[$0].description }
    }

    /// Throws an error that lists the ``unusedStubs``, if there are any. Call `try stub.verify()` at the end of a test.
    public func verify() throws {
        let unused = unusedStubs
        if unused.isEmpty { return }
        throw CheckFailure(description: "no request used the stubs \(unused.joined(separator: "; "))")
    }
}

/// A request that a ``StubDataSource`` received.
public struct SentRequest: Sendable {
    /// The request, with its body in `httpBody`. `nil` if there was no request.
    public let urlRequest: URLRequest?

    /// The method. Empty if there was no request.
    public var method: String { urlRequest.map { $0.httpMethod ?? "GET" } ?? "" }

    /// The URL as text. Empty if there was no request.
    public var url: String { urlRequest?.url?.absoluteString ?? "" }

    /// The bytes of the body. Empty if there was no body or no request.
    public var body: Data { urlRequest?.httpBody ?? Data() }

    /// The body, parsed as JSON. `.missing` if there was no body, or if it isn't JSON.
    public var json: JSON { (try? JSON(parsing: body)) ?? .missing }

    /// The body, decoded as UTF-8. Invalid bytes become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a header field, or `nil` if it is missing. The case of the name doesn't matter.
    public subscript(_ name: Headers.Name) -> String? {
        urlRequest?.value(forHTTPHeaderField: name.rawValue)
    }

    /// Returns the decoded value of the first query item with a name. Empty without a value, `nil` without an item.
    public func query(_ name: String) -> String? {
        QueryItem.items(of: urlRequest?.url).first { $0.name == name }.map { $0.value ?? "" }
    }
}
