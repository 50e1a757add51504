import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What must be the same in two requests for one answer to serve both.
///
/// Header fields, the timeout and some other properties are no part of `URLRequest`'s own `==`, and which
/// ones are depends on the platform.
struct CoalescingKey: Hashable, Sendable {
    let request: URLRequest
    private let url: String
    private let headers: [String: String]

    /// The key of a GET request without a body; nil for any other.
    init?(_ request: URLRequest) {
        guard request.httpMethod ?? "GET" == "GET", request.httpBody == nil, request.httpBodyStream == nil,
            let url = request.url?.absoluteString
        else { return nil }
        self.request = request
        self.url = url
        let fields = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        headers = Dictionary(fields) { "\($0), \($1)" }
    }

    static func == (left: CoalescingKey, right: CoalescingKey) -> Bool {
        left.url == right.url && left.headers == right.headers && left.request.travels(like: right.request)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
    }
}

extension URLRequest {
    /// Whether everything but URL, header fields and body is the same.
    fileprivate func travels(like other: URLRequest) -> Bool {
        guard cachePolicy == other.cachePolicy, timeoutInterval == other.timeoutInterval,
            httpShouldHandleCookies == other.httpShouldHandleCookies,
            mainDocumentURL == other.mainDocumentURL, networkServiceType == other.networkServiceType,
            allowsCellularAccess == other.allowsCellularAccess
        else { return false }
        #if canImport(FoundationNetworking)
            return true
        #else
            return allowsExpensiveNetworkAccess == other.allowsExpensiveNetworkAccess
                && allowsConstrainedNetworkAccess == other.allowsConstrainedNetworkAccess
                && assumesHTTP3Capable == other.assumesHTTP3Capable && attribution == other.attribution
                && self == other
        #endif
    }
}
