import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// Encodes the request for a data source.
    ///
    /// - Throws: `.invalidURL` or `.invalidRequest` for input that can't be sent, with what and where in the
    ///   error's description; `.thrown` for an error of a configured `adaptRequest` closure.
    public func urlRequest() throws(ServiceError) -> URLRequest {
        try checkInput()
        var request = URLRequest(url: try url(), cachePolicy: cachePolicy, timeoutInterval: idleTimeout)
        var headers = headers
        if let (data, contentType) = try encodedBody() {
            if headers[.contentType] == nil { headers[.contentType] = contentType }
            request.httpBody = data
        }
        request.httpMethod = method.rawValue
        request.httpShouldHandleCookies = handlesCookies
        // One assignment: on Linux each setValue(_:forHTTPHeaderField:) costs about 0.6 µs.
        if !headers.isEmpty {
            request.allHTTPHeaderFields = Dictionary(headers.map { ($0.name.rawValue, $0.value) }) { "\($0), \($1)" }
        }
        try adapt(&request)
        return request
    }

    private func url() throws(ServiceError) -> URL {
        var text = urlString
        let queries = method.sendsParametersInQuery ? [query, parameters] : [query]
        for parameters in queries where !parameters.isEmpty {
            let addition = try encoding { () throws(InvalidInput) in try parameterEncoding.query(parameters) }
            if addition.isEmpty { continue }
            let fragment = text.firstIndex(of: "#") ?? text.endIndex
            let url = text[..<fragment]
            let separator = !url.contains("?") ? "?" : url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&"
            text.insert(contentsOf: separator + addition, at: fragment)
        }
        guard let url = URL(string: text), Origin(url) != nil else {
            throw error(.invalidURL, "\"\(text)\" is not an HTTP URL")
        }
        return url
    }

    private func encodedBody() throws(ServiceError) -> (data: Data, contentType: String)? {
        switch body {
        case nil: return nil
        case .data(let data, let contentType): return (data, contentType)
        case .parameters:
            let (data, contentType) = try encoding { () throws(InvalidInput) in
                try parameterEncoding.body(parameters)
            }
            return data.isEmpty ? nil : (data, contentType)
        case .encodable(let value):
            if let json = value as? JSON { return (json.data, "application/json") }
            do {
                return (try JSONEncoder().encode(value), "application/json")
            } catch let encodingError {
                throw error(.invalidRequest, "\(type(of: value)) can't be encoded", underlying: encodingError)
            }
        }
    }

    private func adapt(_ request: inout URLRequest) throws(ServiceError) {
        if adapters.isEmpty { return }
        do {
            for adapter in adapters { try adapter(&request) }
        } catch let thrown {
            throw ServiceError(thrown: thrown, request: self)
        }
        if let problem = Headers(request.allHTTPHeaderFields ?? [:]).problem {
            throw error(.invalidRequest, problem)
        }
    }

    private func encoding<Value>(_ encode: () throws(InvalidInput) -> Value) throws(ServiceError) -> Value {
        do {
            return try encode()
        } catch let problem {
            throw error(.invalidRequest, problem.description)
        }
    }

    /// `URLRequest.timeoutInterval`, in seconds: how long URLSession waits for each next byte. It is kept out of
    /// the way of ``timeout``, which the task itself measures.
    private var idleTimeout: TimeInterval {
        timeout.map { max(60, $0.seconds.rounded(.up) + 1) } ?? 60
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}
