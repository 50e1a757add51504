// Finds stores: `StoreLocator ZIP [--favorite ID] [--url URL | --offline-demo]`.
//
// Without `--url` it starts a server of its own on this machine. With `--offline-demo` it stops that server when it
// has what it wants, and reads the stores again: from the cache.

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
    // Handlers run on the main actor, which is free while we await the end.
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
                print(store.isFavorite == true ? "\(store.name) is your favorite now." : "Nothing changed.")
            }
            .finished()
    }
}

func readOffline(zipCode: String, in service: WebService) async throws {
    let stores = try await service.searchStores(zipCode: zipCode).entity(as: [Store].self)
    let origin = stores.isFromCache ? "the cache" : "the network"
    print("\nThe server is gone. From \(origin), all the same:\n")
    print(StoreTable(stores: stores.content))
}
