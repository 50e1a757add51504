import Foundation
import Swallow

/// Finds stores: `StoreLocator ZIP [--favorite ID] [--url URL | --offline-demo]`.
///
/// Without `--url` it starts a server of its own on this machine. With `--offline-demo` it stops that server when it
/// has what it wants, and reads the stores again: from the cache.
@main
struct StoreLocator {
    static func main() async {
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
            fail(error)
        }
    }

    @MainActor
    private static func locate(_ arguments: Arguments, in service: WebService) async throws {
        var nearest: Store?
        // Handlers run on the main actor, which is free while we await the outcome.
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
                    print(
                        store.isFavorite == true ? "\(store.name) is your favorite now." : "Nothing changed.")
                }
                .finished()
        }
    }

    private static func readOffline(zipCode: String, in service: WebService) async throws {
        let entity = try await service.searchStores(zipCode: zipCode).result.get()
        let stores = entity.content as? [Store] ?? []
        let origin = entity.isFromCache ? "the cache" : "the network"
        print("\nThe server is gone. From \(origin), all the same:\n")
        print(StoreTable(stores: stores))
    }

    /// Prints one line to standard error, and exits with 1.
    private static func fail(_ error: any Error) -> Never {
        let message =
            switch error {
            case let error as ServiceError: error.userMessage
            default: "\(error)"
            }
        try? FileHandle.standardError.write(contentsOf: Data("StoreLocator: \(message)\n".utf8))
        exit(1)
    }
}

extension ServiceTask {
    /// Waits until every handler so far has run; throws the failure of the request or of a handler.
    fileprivate func finished() async throws {
        _ = try await result.get()
    }
}
