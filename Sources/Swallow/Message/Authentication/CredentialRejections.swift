import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a rejected request means that the current credential is no longer valid.
///
/// Every use of a credential has a number, and later uses have higher numbers. A rejection means nothing for the
/// credential in two cases:
///
/// - The rejecting endpoint rejects valid credentials, for example because the user lacks a permission. It rejected a
///   request that was sent again with a credential that was made because of the endpoint's first rejection. From then
///   on, the endpoint's rejections mean nothing until it accepts a credential.
/// - The credential was accepted in a later use, and the task hasn't sent it twice.
struct CredentialRejections: Sendable {
    /// A method and a URL without user info and query.
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
        /// The current credential is no longer valid. The request may be sent again with a new one.
        case rejected
        /// The request may be sent again, because its credential is replaced or valid.
        case again
        /// The endpoint rejects valid credentials.
        case final
    }

    /// An endpoint that has rejected a credential, and hasn't accepted a later one.
    private struct Suspect: Sendable {
        let endpoint: Endpoint
        /// The credential that was replaced because of the endpoint.
        let credential: Int
        /// Whether the endpoint rejected the next credential as well.
        var rejectsValid = false
    }

    private var lastUse = 0
    /// The first use of the current credential, which identifies the credential.
    private var credential = 1
    /// The credential that was replaced by the current one.
    private var replaced = 0
    private var lastAcceptedUse = 0
    /// Whether the current credential is no longer valid.
    private(set) var isRejected = false
    /// The suspects, the oldest first.
    private var suspects: [Suspect] = []

    /// The maximum number of stored endpoints. Beyond it, the oldest endpoint is removed. That endpoint may then cause
    /// another token refresh.
    static let endpointLimit = 32

    /// Returns the number of a new use of the current credential.
    mutating func use() -> Int {
        lastUse += 1
        return lastUse
    }

    /// Begins the uses of another credential, and returns the number of the first one.
    ///
    /// - Parameter isRefreshed: `false` if the app has set the credential, which may belong to another user.
    mutating func replaceCredential(isRefreshed: Bool) -> Int {
        if !isRefreshed { suspects = [] }
        replaced = credential
        credential = use()
        lastAcceptedUse = 0
        isRejected = false
        return credential
    }

    /// Whether a use belongs to the current credential.
    func isCurrent(_ use: Int) -> Bool { use >= credential }

    /// Notes that an endpoint accepted a credential.
    mutating func accept(_ use: Int, by endpoint: @autoclosure () -> Endpoint) {
        guard isCurrent(use) else { return }
        lastAcceptedUse = max(lastAcceptedUse, use)
        if suspects.isEmpty { return }
        let endpoint = endpoint()
        suspects.removeAll { $0.endpoint == endpoint && $0.credential < credential }
    }

    /// Marks the current credential as no longer valid.
    mutating func rejectCurrent() { isRejected = true }

    /// Decides about a rejection.
    ///
    /// - Parameters:
    ///   - use: The use that the endpoint rejected.
    ///   - earlierUse: The rejected use of the task's previous attempt, or 0 if there was none.
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
