import Foundation

extension URLRequest {
    /// Returns GET requests for the URLs that a successful write invalidates (RFC 9111 §4.4): the URLs of the request
    /// and the response, and those in `Location` and `Content-Location` that have the request's origin.
    func invalidated(by head: HTTPURLResponse) -> [URLRequest] {
        let origin = url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? url) }
        }.filter { Origin($0) == origin }
        let others = ([head.url].compactMap { $0 } + named).filter { $0 != url }
        return [get()] + others.map(get)
    }

    /// Returns a GET request with this request's fields, for a lookup in a cache.
    func get(_ url: URL? = nil) -> URLRequest {
        var request = self
        request.httpMethod = "GET"
        request.httpBody = nil
        if let url { request.url = url }
        return request
    }
}
