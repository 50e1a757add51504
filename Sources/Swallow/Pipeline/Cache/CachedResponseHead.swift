import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An `HTTPURLResponse` as text and numbers.
struct CachedResponseHead {
    var url: String
    var statusCode: Int
    var headers: [String: String]

    init(url: String, statusCode: Int, headers: [String: String]) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
    }

    /// Nil for a response without a URL, which couldn't be made again.
    init?(_ response: HTTPURLResponse) {
        guard let url = response.url else { return nil }
        self.url = url.absoluteString
        statusCode = response.statusCode
        headers = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
    }

    var response: HTTPURLResponse? {
        URL(string: url).flatMap {
            HTTPURLResponse(
                url: $0, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}
