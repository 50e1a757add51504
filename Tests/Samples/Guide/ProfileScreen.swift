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

@MainActor @Observable
final class ProfileEditor {
    let profile: Resource<Profile>
    let renaming = Mutation()

    init(_ profile: Resource<Profile>) { self.profile = profile }

    func rename(_ name: String) {
        profile.change({ $0.name = name }, tracking: renaming) { profile in
            profile.request(.PATCH, parameters: ["name": name])
        }
    }
}

struct Comment: Codable, Identifiable, Equatable, Sendable {
    let id: Int
    let text: String
}
