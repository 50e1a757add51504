import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The side of the entity caches.
extension ServiceTask {
    /// Whether the caches of the pipeline take part in a request.
    func usesCaches(for urlRequest: URLRequest) -> Bool {
        plan.hasCaches && request.entityCaching != .ignore && urlRequest.httpMethod == "GET"
            && urlRequest.value(forHTTPHeaderField: "Range") == nil
    }

    /// The GET whose cached response a request's success makes out of date (RFC 9111 §4.4).
    func requestToForget(after urlRequest: URLRequest) -> URLRequest? {
        let safeMethods = ["GET", "HEAD", "OPTIONS", "TRACE"]
        guard plan.hasCaches, !safeMethods.contains(urlRequest.httpMethod ?? "GET") else { return nil }
        var changed = urlRequest
        changed.httpMethod = "GET"
        changed.httpBody = nil
        return changed
    }

    /// Sends a request, unless what a cache has is fresh enough.
    func sendUnlessCached(_ urlRequest: URLRequest) {
        switch request.entityCaching {
        case .ignore, .fallback:
            send(urlRequest, cacheRequest: urlRequest)
        case .prefer(let maxAge):
            readBeforeSending(urlRequest) { hit in
                guard let hit, hit.isFresh(maxAge) else {
                    return self.send(urlRequest, cacheRequest: urlRequest)
                }
                self.arrive(Arrival(cached: hit, for: urlRequest), cancelling: true)
            }
        case .revalidate:
            readBeforeSending(urlRequest) { hit in
                guard let hit, let conditional = urlRequest.asking(whetherValid: hit.response.response) else {
                    return self.send(urlRequest, cacheRequest: urlRequest)
                }
                self.send(conditional, cacheRequest: urlRequest, confirming: hit)
            }
        }
    }

    /// Ends the transfer with a failure, or with what a cache has where the failure is one of the transport's.
    func fail(with error: ServiceError, cacheRequest: URLRequest?, cancelling: Bool) {
        guard let cacheRequest, error.isTransportFailure else {
            return arrive(Arrival(error: error), cancelling: cancelling)
        }
        guard endTransfer(cancelling: cancelling) else { return }
        // Reading has as much time again, and no more.
        if error.reason == .timedOut, let timeout = request.timeout {
            startDeadline(timeout, cacheRequest: nil)
        }
        read(cacheRequest) { hit in
            self.take(hit.map { Arrival(cached: $0, for: cacheRequest) } ?? Arrival(error: error))
        }
    }

    /// Takes the server's word that a cached response is still right.
    func confirm(_ hit: CachedHit, for cacheRequest: URLRequest) {
        let now = Date()
        var hit = hit
        hit.response.timestamp = now
        plan.confirm(hit.response.response, for: cacheRequest, at: now)
        arrive(Arrival(cached: hit, for: cacheRequest), cancelling: false)
    }

    private func read(_ urlRequest: URLRequest, _ completion: @escaping @Sendable (CachedHit?) -> Void) {
        plan.read(urlRequest) { stage in
            self.log?.missed(stage.name)
        } _: { hit in
            // What one request accepts, such as a 404, may be a failure for another.
            guard let hit, self.request.acceptableStatusCodes.contains(hit.response.response.statusCode)
            else {
                return completion(nil)
            }
            self.log?.hit(self.plan.stages[hit.stage].name)
            completion(hit)
        }
    }

    /// The same, for a read that may be followed by sending the request, which is not the cache queue's work.
    private func readBeforeSending(
        _ urlRequest: URLRequest, _ completion: @escaping @Sendable (CachedHit?) -> Void
    ) {
        if plan.readsAtOnce { return read(urlRequest, completion) }
        read(urlRequest) { hit in DispatchQueue.userInitiated.async { completion(hit) } }
    }
}

extension CachedHit {
    /// Whether the response was received, or confirmed, no longer ago than that; never if the clock was set back.
    fileprivate func isFresh(_ maxAge: Duration) -> Bool {
        (0...max(0, maxAge.seconds)).contains(-response.timestamp.timeIntervalSinceNow)
    }
}

extension ServiceError {
    /// Whether no response came because of the network or the time.
    fileprivate var isTransportFailure: Bool {
        switch reason {
        case .transport, .timedOut: true
        default: false
        }
    }
}

extension URLRequest {
    /// The request with the validators of a response (RFC 9110 §13.1.2, §13.1.3); nil if it has none, or the
    /// request has conditions of its own.
    fileprivate func asking(whetherValid response: HTTPURLResponse) -> URLRequest? {
        let conditions = [
            "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range",
        ]
        guard conditions.allSatisfy({ value(forHTTPHeaderField: $0) == nil }) else { return nil }
        let tag = response.value(forHTTPHeaderField: "ETag")
        let date = response.value(forHTTPHeaderField: "Last-Modified")
        if tag == nil, date == nil { return nil }
        var request = self
        request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        request.setValue(date, forHTTPHeaderField: "If-Modified-Since")
        return request
    }
}
