import Foundation

extension URLRequest {
    /// Returns GET requests for the stored responses that this request invalidates (RFC 9111 §4.4). Their URLs are the
    /// URLs of this request and its response, and those of the same origin in `Location` and `Content-Location`.
    func invalidated(by head: HTTPURLResponse) -> [URLRequest] {
        let origin = url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? url) }
        }.filter { Origin($0) == origin }
        let others = ([head.url].compactMap { $0 } + named).filter { $0 != url }
        return [get()] + others.map(get)
    }

    /// Returns a GET request with this request's fields, to look up responses. If `url` isn't `nil`, it is the new URL.
    func get(_ url: URL? = nil) -> URLRequest {
        var request = self
        request.httpMethod = "GET"
        request.httpBody = nil
        if let url { request.url = url }
        return request
    }
}
