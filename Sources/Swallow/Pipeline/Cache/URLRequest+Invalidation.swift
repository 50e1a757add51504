import Foundation

extension URLRequest {
    /// Returns GET requests for the URLs whose responses a successful write invalidates. They are the request's URL, and
    /// the URLs of the same origin that the response names (RFC 9111 §4.4).
    func invalidated(by head: HTTPURLResponse) -> [URLRequest] {
        let origin = url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? url) }
        }.filter { Origin($0) == origin }
        // The URL that redirects led to was written as well.
        let others = ([head.url].compactMap { $0 } + named).filter { $0 != url }
        return [get()] + others.map(get)
    }

    /// Returns the GET request that selects stored responses as this request does.
    func get(_ url: URL? = nil) -> URLRequest {
        var request = self
        request.httpMethod = "GET"
        request.httpBody = nil
        if let url { request.url = url }
        return request
    }
}
