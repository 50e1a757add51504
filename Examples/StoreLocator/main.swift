// Finds stores: `StoreLocator ZIP [--favorite ID] [--url URL | --offline-demo]`.
//
// Without `--url`, the program starts its own server on this machine. With `--offline-demo`, it stops the server after
// the requests, and reads the stores again from the cache.

import Foundation
import Swallow

do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    let server = arguments.url == nil ? try StoreServer.start() : nil
    defer { server?.stop() }
    let url = arguments.url ?? server?.baseURLString ?? ""
    print("Stores around \(arguments.zipCode), from \(url)\n")
    let service = WebService.storeLocator(url: url)
    try await locate(arguments, in: service)
    if arguments.showsOfflineCache {
        server?.stop()
        try await readOffline(zipCode: arguments.zipCode, in: service)
    }
} catch {
    let message = (error as? ServiceError)?.userMessage ?? "\(error)"
    try? FileHandle.standardError.write(contentsOf: Data("StoreLocator: \(message)\n".utf8))
    exit(1)
}

@MainActor
func locate(_ arguments: Arguments, in service: WebService) async throws {
    var nearest: Store?
    // The handlers run on the main actor, which is free during the await.
    try await service.searchStores(zipCode: arguments.zipCode)
        .responseAsStores { stores in
            print(StoreTable(stores: stores))
            nearest = stores.first
        }
        .finished()

    if let nearest {
        try await service.store(id: nearest.id)
            .responseAsStore { store in
                print("\nThe nearest, \(store.name), is open \(store.hours ?? "?").")
            }
            .finished()
    }
    if let id = arguments.favoriteID {
        try await service.setFavorite(true, storeID: id)
            .responseAsStore { store in
                print(store.isFavorite == true ? "\(store.name) is now a favorite." : "Nothing changed.")
            }
            .finished()
    }
}

func readOffline(zipCode: String, in service: WebService) async throws {
    let stores = try await service.searchStores(zipCode: zipCode).entity(as: [Store].self)
    let origin = stores.isFromCache ? "the cache" : "the network"
    print("\nThe server has stopped. From \(origin):\n")
    print(StoreTable(stores: stores.content))
}
