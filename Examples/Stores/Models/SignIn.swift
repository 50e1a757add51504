import Foundation
import Observation
import Swallow
import SwallowResources

/// The screen that asks who somebody is.
@MainActor
@Observable
public final class SignIn {
    /// What was typed.
    public var name = ""
    /// What was typed.
    public var password = ""
    /// Why nobody is signed in, in words for the user.
    public private(set) var message: String?
    /// Whether the server is being asked.
    public private(set) var isAsking = false
    /// What the other screens use; nil until somebody is signed in.
    public private(set) var session: Session?

    private let service: WebService

    /// Makes a screen over a service that nobody is signed in to.
    public init(service: WebService) {
        self.service = service
    }

    /// Whether there is something to send.
    public var canSignIn: Bool { !name.isEmpty && !password.isEmpty && !isAsking }

    /// Asks the server for a token.
    public func signIn() async {
        guard canSignIn else { return }
        (isAsking, message) = (true, nil)
        defer { isAsking = false }
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

    /// Forgets who was signed in, and what was kept for them.
    public func signOut() {
        session?.service.wipeCaches()
        session = nil
    }
}

/// What the server gives for a name and password, or for a grant that has become old.
struct Grant: Codable, Sendable {
    let token: String
    let refresh: String
    let seconds: Int
}

/// Somebody who is signed in.
@MainActor
public final class Session {
    /// The service that signs requests; it makes a new token where the server refuses the old one.
    public let service: WebService
    /// What the screens share.
    public let resources: ResourceStore

    init(service: WebService, name: String, _ grant: Grant) {
        let latest = Latest(grant)
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
    }

    /// Somebody who is signed in already, for previews.
    public convenience init(service: WebService, token: String) {
        self.init(service: service, name: "preview", Grant(token: token, refresh: "", seconds: 3600))
    }

    /// The grant that the next token is made of.
    private actor Latest {
        private(set) var grant: Grant

        init(_ grant: Grant) { self.grant = grant }

        func replace(by grant: Grant) { self.grant = grant }
    }
}
