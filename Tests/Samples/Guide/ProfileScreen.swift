import Observation
import Swallow
import SwallowResources

struct Profile: Codable, Equatable, Sendable {
    var name: String
}

@MainActor @Observable
final class ProfileScreen {
    let profile: Resource<Profile>

    init(_ resources: ResourceStore) {
        profile = resources.resource("/profile", as: Profile.self)
    }

    var title: String { profile.latestContent?.name ?? "Nobody yet" }
    var problem: String? { profile.latestError?.userMessage }

    func appear() {
        // While a resource has an observer, its load isn't cancelled when another screen disappears.
        profile.addObserver(owner: self) { _, _, _ in }
        profile.loadIfNeeded()
    }
    func disappear() {
        profile.removeObservers(ownedBy: self)
        profile.cancelLoadIfUnobserved(after: .seconds(10))
    }

    func rename(_ name: String) {
        profile.load(using: profile.request(.PATCH, parameters: ["name": name]))
    }
}
