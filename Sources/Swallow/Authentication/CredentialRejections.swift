import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a rejected request means that the current credential is no longer valid.
///
/// Later uses of credentials have higher numbers. A rejection means nothing for the credential in two cases:
///
/// - The endpoint also rejected the credential that was made because of its first rejection, for example because the
///   user lacks a permission. Its rejections then mean nothing until it accepts a credential.
/// - The credential was accepted in a later use, and the task hasn't sent it twice.
struct CredentialRejections: Sendable {
    struct Endpoint: Sendable, Hashable {
        let method: String
        let location: String

        init(_ method: String, _ location: String) {
            (self.method, self.location) = (method, location)
        }

        init(_ request: URLRequest) {
            let location = (request.url?.absoluteString ?? "").locationAndQuery.location
            self.init(request.httpMethod ?? "GET", String(location).withoutUserinfo)
        }
    }

    enum Decision: Sendable {
        case rejected
        /// The request may be sent again, because its credential is replaced or valid.
        case again
        /// The endpoint rejects valid credentials.
        case final
    }

    private struct Suspect: Sendable {
        let endpoint: Endpoint
        /// The credential that was replaced because of the endpoint.
        let credential: Int
        var rejectsValid = false
    }

    private var lastUse = 0
    /// The first use of the current credential, which identifies the credential.
    private var credential = 1
    /// The credential that was replaced by the current one.
    private var replaced = 0
    private var lastAcceptedUse = 0
    private(set) var isRejected = false
    private var suspects: [Suspect] = []

    /// Beyond this limit, the oldest endpoint is removed. It may then cause another token refresh.
    static let endpointLimit = 32

    mutating func use() -> Int {
        lastUse += 1
        return lastUse
    }

    /// `isRefreshed` is `false` if the app has set the credential, which may belong to another user.
    mutating func replaceCredential(isRefreshed: Bool) -> Int {
        if !isRefreshed { suspects = [] }
        replaced = credential
        credential = use()
        lastAcceptedUse = 0
        isRejected = false
        return credential
    }

    func isCurrent(_ use: Int) -> Bool { use >= credential }

    mutating func accept(_ use: Int, by endpoint: @autoclosure () -> Endpoint) {
        guard isCurrent(use) else { return }
        lastAcceptedUse = max(lastAcceptedUse, use)
        if suspects.isEmpty { return }
        let endpoint = endpoint()
        suspects.removeAll { $0.endpoint == endpoint && $0.credential < credential }
    }

    mutating func rejectCurrent() { isRejected = true }

    /// `earlierUse` is the rejected use of the task's previous attempt, or 0 if there was none.
    mutating func reject(_ use: Int, after earlierUse: Int = 0, by endpoint: Endpoint) -> Decision {
        guard isCurrent(use), !isRejected else { return .again }
        // If the request wasn't sent again because of the refresh, the credential may have expired since.
        let followsRefresh = earlierUse > 0 && !isCurrent(earlierUse)
        if let index = suspects.firstIndex(where: {
            $0.endpoint == endpoint && ($0.rejectsValid || followsRefresh && $0.credential == replaced)
        }) {
            suspects[index].rejectsValid = true
            return .final
        }
        // A task sends each credential twice at most. Endpoints that ignore the credential also accept it.
        if lastAcceptedUse > use, !isCurrent(earlierUse) { return .again }
        suspects.removeAll { $0.endpoint == endpoint }
        suspects.append(Suspect(endpoint: endpoint, credential: credential))
        if suspects.count > Self.endpointLimit { suspects.removeFirst() }
        isRejected = true
        return .rejected
    }
}
