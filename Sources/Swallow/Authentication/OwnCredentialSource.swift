import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Makes one call of the app's `renew` at a time.
final class OwnCredentialSource: CredentialSource {
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
            do {
                try await authenticator.renew(after: known.response, to: known.request)
            } catch {
                throw ServiceError(authenticating: error)
            }
            // The rejection is released now, because its request may have a large body.
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
                do {
                    try await self.renewal.working { try await self.authenticator.authorize(&authorized) }
                } catch {
                    throw ServiceError(authenticating: error)
                }
                try authorized.checkForm()
                completion(.success(AuthorizedRequest(request: authorized, credential: credential)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialVerdict {
        guard response.isFromOrigin(of: request) else { return .accepted }
        guard authenticator.isRefusal(response, of: request) else {
            if response.statusCode < 500 { renewal.accept(use) }
            return .accepted
        }
        // Decided under the lock, so that a renewal that begins now reads this rejection.
        let (decision, _) = refusal.withLock { refusal in
            let replaced = refusal
            let decision = renewal.reject(use)
            if case .rejected = decision {
                refusal = Refusal(credential: use.number, response: response, request: request)
            }
            return (decision, replaced)
        }
        switch decision {
        case .rejected, .again: return .again
        case .final: return .accepted
        }
    }
}
