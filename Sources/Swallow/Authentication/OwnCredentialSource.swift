import Foundation

final class OwnCredentialSource: CredentialSource {
    private struct Rejection: Sendable {
        let credential: Int
        let response: HTTPURLResponse
        let request: URLRequest
    }

    private let authenticator: any Authenticator
    private let rejection: Lock<Rejection?>
    private let tokenRefresh: TokenRefresh<Void>

    init(_ authenticator: any Authenticator) {
        self.authenticator = authenticator
        let rejection = Lock<Rejection?>(nil)
        self.rejection = rejection
        tokenRefresh = TokenRefresh(()) { _, _ in
            guard let rejected = rejection.withLock({ $0 }) else { return }
            do {
                try await authenticator.refresh(after: rejected.response, to: rejected.request)
            } catch {
                throw ServiceError(authenticating: error)
            }
            // The rejection is removed after the refresh, because its request may have a large body.
            _ = rejection.withLock { $0?.credential == rejected.credential ? $0.take() : nil }
        }
    }

    var identity: String? { authenticator.identity }
    var isWorkingHere: Bool { tokenRefresh.isWorkingHere }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) -> Int? { nil }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        Caller.startTask(for: caller) {
            do {
                let credential = try await self.tokenRefresh.value(clock) { _ in true }.number
                var authorized = request
                do {
                    try await self.tokenRefresh.working {
                        try await self.authenticator.authorize(&authorized)
                    }
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

    func decision(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialDecision {
        guard response.isFromOrigin(of: request) else { return .accepted }
        guard authenticator.isRejection(response, of: request) else {
            if response.statusCode < 500 { tokenRefresh.accept(use) }
            return .accepted
        }
        // The decision is made under the lock, because a token refresh that begins now must read this rejection.
        let (decision, _) = rejection.withLock { rejection in
            let replaced = rejection
            let decision = tokenRefresh.reject(use)
            if case .rejected = decision {
                rejection = Rejection(credential: use.number, response: response, request: request)
            }
            return (decision, replaced)
        }
        return decision == .final ? .accepted : .again
    }
}
