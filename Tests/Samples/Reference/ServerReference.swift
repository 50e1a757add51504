import Foundation
import Swallow
import Testing

#if os(Linux) && canImport(Glibc)
    extension WebService {
        static let transport = CurlDataSource()
        static let api = WebService(baseURLString: "https://api.example.com/v1", dataSource: transport)
    }

    func stores(near zipCode: String) async throws -> [Store] {
        try await WebService.api.searchStores(zipCode: zipCode).decoded(as: [Store].self)
    }

    @Suite("The guide's server")
    struct ServerReference {
        @Test("sends nothing once it has stopped")
        func end() async throws {
            await WebService.transport.shutDown(within: .seconds(20))
            await #expect { try await stores(near: "15217") } throws: {
                ($0 as? ServiceError)?.isCancelled == true
            }
        }
    }
#endif
