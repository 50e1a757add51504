import Observation
import Swallow
import SwallowResources

/// A screen without annotations, in an app whose modules default to the main actor. A shared resource holds its state.
@Observable
final class SharedStoreList {
    let stores: Resource<[Store]>

    init(_ resources: ResourceStore, zipCode: String) {
        stores = resources.resource("/stores", parameters: ["zip": zipCode], as: [Store].self)
    }

    var names: [String] { stores.latestContent?.map(\.name) ?? [] }
    var message: String? { stores.latestError?.userMessage }
    var isLoading: Bool { stores.isLoading }

    func refresh() { stores.loadIfNeeded() }
}
