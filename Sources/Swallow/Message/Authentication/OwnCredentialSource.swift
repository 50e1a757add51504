import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An authenticator of the app's own, whose renewals run one at a time.
final class OwnCredentialSource: CredentialSource {
    /// The first refusal of a credential.
    private struct Refusal: Sendable {
        let credential: Int
        let response: HTTPURLResponse
        let request: URLRequest
    }

    private let authenticator: any Authenticator
    private let refusal: Lock<Refusal?>
    private let renewal: Renewal<Void>

    init(_ authenticator: any Authenticator) {
        self.authenticator = authenticator
        let refusal = Lock<Refusal?>(nil)
        self.refusal = refusal
        renewal = Renewal(()) { _, _ in
            guard let known = refusal.withLock({ $0 }) else { return }
            try await authenticator.renew(after: known.response, to: known.request)
            // Released now, since its request may have a large body.
            _ = refusal.withLock { $0?.credential == known.credential ? $0.take() : nil }
        }
    }

    var identity: String? { authenticator.identity }
    var isWorkingHere: Bool { renewal.isWorkingHere }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) -> Int? { nil }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        Caller.startTask(for: caller) {
            do {
                let credential = try await self.renewal.value(clock) { _ in true }.number
                var authorized = request
                try await self.renewal.working { try await self.authenticator.authorize(&authorized) }
                try authorized.checkForm()
                completion(.success(AuthorizedRequest(request: authorized, credential: credential)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, credential: Int
    ) -> CredentialVerdict {
        guard authenticator.isRefusal(response, of: request), response.isFromOrigin(of: request) else {
            return .accepted
        }
        let refused = Refusal(credential: credential, response: response, request: request)
        let replaced = refusal.withLock { refusal -> Refusal? in
            guard (refusal?.credential ?? .min) < credential else { return nil }
            defer { refusal = refused }
            return refusal
        }
        return withExtendedLifetime(replaced) { renewal.refuse(credential) }
    }
}
