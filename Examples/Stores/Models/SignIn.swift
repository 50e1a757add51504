import Foundation
import Observation
import Swallow
import SwallowResources

/// The model of the sign-in screen.
@MainActor
@Observable
public final class SignIn {
    /// The text of the name field.
    public var name = ""
    /// The text of the password field.
    public var password = ""
    /// The error message of the latest attempt, for the user.
    public private(set) var message: String?
    /// Whether a request for a token is in flight.
    public private(set) var isSigningIn = false
    /// The session of the signed-in user, or nil if nobody has signed in.
    public private(set) var session: Session?

    private let service: WebService

    /// Creates a model that uses a service without credentials.
    public init(service: WebService) {
        self.service = service
    }

    /// Whether the form is complete and no request is in flight.
    public var canSignIn: Bool { !name.isEmpty && !password.isEmpty && !isSigningIn }

    /// Requests a token, and creates a session with it.
    public func signIn() async {
        guard canSignIn else { return }
        (isSigningIn, message) = (true, nil)
        defer { isSigningIn = false }
        let (name, service) = (name, service)
        do throws(ServiceError) {
            let grant = try await service.POST("/token", parameters: ["name": name, "password": password])
                .decoded(as: Grant.self)
            session = Session(service: service, name: name, grant)
            password = ""
        } catch {
            message = error.statusCode == 401 ? "Name and password don't fit." : error.userMessage
        }
    }

    /// Ends the session, and deletes the cached responses.
    public func signOut() {
        session?.service.wipeCaches()
        session = nil
    }
}

/// The response of `POST /token`. A refresh token returns a new grant, as a name and password do.
struct Grant: Codable, Sendable {
    let token: String
    let refresh: String
    let seconds: Int
}

/// The session of a signed-in user.
@MainActor
public final class Session {
    /// The service that authenticates requests. If the server rejects a token, the service requests a new one.
    public let service: WebService
    /// The resources that all screens share.
    public let resources: ResourceStore

    init(service: WebService, name: String, _ grant: Grant) {
        let latest = LatestGrant(grant)
        let expires = service.clock.now.addingTimeInterval(TimeInterval(grant.seconds))
        let authenticator = TokenAuthenticator(identity: name, token: .init(grant.token, expires: expires)) {
            _ in
            let new = try await service.POST("/token", parameters: ["refresh": await latest.grant.refresh])
                .decoded(as: Grant.self)
            await latest.replace(by: new)
            return .init(new.token, expiresIn: .seconds(new.seconds))
        }
        self.service = service.configured { $0.authenticator = authenticator }
        resources = ResourceStore(service: self.service)
        resources.refreshTriggers = [.every(.seconds(60)), .foreground, .reconnect]
    }

    /// Creates a session without a sign-in, for previews.
    public convenience init(service: WebService, token: String) {
        self.init(service: service, name: "preview", Grant(token: token, refresh: "", seconds: 3600))
    }

    /// Stores the latest grant, whose refresh token the next request for a token needs.
    private actor LatestGrant {
        private(set) var grant: Grant

        init(_ grant: Grant) { self.grant = grant }

        func replace(by grant: Grant) { self.grant = grant }
    }
}
