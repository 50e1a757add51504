import Foundation

final class OwnCredentialSource: CredentialSource {
    /// Stands for the credential, which the authenticator itself stores.
    private struct Credential: Sendable {
        var rejection: (response: HTTPURLResponse, request: URLRequest)?
    }

    private let authenticator: any Authenticator
    private let tokenRefresh: TokenRefresh<Credential>

    init(_ authenticator: any Authenticator) {
        self.authenticator = authenticator
        tokenRefresh = TokenRefresh(Credential()) { replaced, _ in
            guard let (response, request) = replaced?.rejection else { return Credential() }
            do {
                try await authenticator.refresh(after: response, to: request)
            } catch {
                throw ServiceError(authenticating: error)
            }
            return Credential()
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
        return tokenRefresh.reject(use) { $0.rejection = (response, request) } == .final ? .accepted : .again
    }
}
