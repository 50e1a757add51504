import Foundation

/// Decides whether a rejection means that the current credential is no longer valid. The credential counts as valid if:
///
/// - The endpoint's rejection caused the refresh, and the endpoint also rejects the new credential for the same task.
///   Its next rejections are ignored.
/// - The server has accepted the credential in a later request, and the rejected request was sent only once with it.
struct CredentialRejections: Sendable {
    struct Endpoint: Sendable, Hashable {
        let method: String
        let location: String
    }

    enum Decision: Sendable {
        case rejected
        /// The request may be sent again, because its credential was replaced, will be replaced, or is still valid.
        case again
        /// The task receives the rejection, because this endpoint also rejects valid credentials.
        case final
    }

    private struct Suspect: Sendable {
        let endpoint: Endpoint
        let credential: Int
        var rejectsValid = false
    }

    private var lastUse = 0
    private var credential = 1
    private var replaced = 0
    private var lastAcceptedUse = 0
    private(set) var isRejected = false
    private var suspects: [Suspect] = []

    /// The maximum number of endpoints to remember. After one is forgotten, its rejections may cause a token refresh.
    static let endpointLimit = 32

    mutating func use() -> Int {
        lastUse += 1
        return lastUse
    }

    /// Notes a new or removed credential, and returns its number. `isRefreshed` is false if the app has changed the
    /// credential. It may then belong to another user, so the suspects are forgotten.
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

    mutating func reject(_ use: Int, after earlierUse: Int = 0, by endpoint: Endpoint) -> Decision {
        guard isCurrent(use), !isRejected else { return .again }
        // Whether the request was rejected before the refresh, and again after it.
        let followsRefresh = earlierUse > 0 && !isCurrent(earlierUse)
        if let index = suspects.firstIndex(where: {
            $0.endpoint == endpoint && ($0.rejectsValid || followsRefresh && $0.credential == replaced)
        }) {
            suspects[index].rejectsValid = true
            return .final
        }
        if lastAcceptedUse > use, !isCurrent(earlierUse) { return .again }
        suspects.removeAll { $0.endpoint == endpoint }
        suspects.append(Suspect(endpoint: endpoint, credential: credential))
        if suspects.count > Self.endpointLimit { suspects.removeFirst() }
        isRejected = true
        return .rejected
    }
}

extension CredentialRejections.Endpoint {
    init(_ request: URLRequest) {
        let url = request.url?.absoluteString ?? ""
        self.init(method: request.httpMethod ?? "GET", location: String(url.plainLocation))
    }
}
