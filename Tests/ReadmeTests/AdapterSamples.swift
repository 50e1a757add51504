import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum API {
    static let dataSource = WebService.standardDataSource.coalescing()
    static var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
    }
}

actor Tokens {
    private let login: WebService
    private var token: Task<String, any Error>?

    init(login: WebService) {
        self.login = login
    }

    func current() async throws -> String {
        let token = token ?? Task { [login] in try await login.POST("/token").text }
        self.token = token
        do {
            return try await token.value
        } catch {
            self.token = nil
            throw error
        }
    }
}

@Suite("The README's data source adapters")
struct AdapterSamples {
    private let stub = StubDataSource()

    @Test("send identical requests in flight once")
    func coalescing() async throws {
        var service = API.service
        service.startTasksImmediately = false
        service.dataSource = stub.coalescing()
        let tasks = [service.GET("/stores"), service.GET("/stores"), service.GET("/stores")]
        let answer = StubResponse.json([["id": 41, "name": "Squirrel Hill"]])
        // The stub's closure runs while the first request is in flight, so the second task joins it.
        stub.stub(
            .GET, "/stores",
            .dynamic { _ in
                tasks[1].resume().cancel()
                return answer
            })
        #expect(try await tasks[0].json[0]["id"].int == 41)
        await #expect { try await tasks[1].json } throws: { ($0 as? ServiceError)?.isCancelled == true }
        #expect(stub.requests.count == 1)
        #expect(try await tasks[2].json[0]["id"].int == 41)
        #expect(stub.requests.count == 2)
    }

    @Test("sign requests with a token that is fetched when it is needed")
    func adapting() async throws {
        stub.stub(.POST, "/token", .text("secret"))
        stub.stub(.GET, "/me", .status(401))
        stub.stub(.GET, "/me", headers: ["Authorization": "Bearer secret"], .json(["name": "Ann"]))
        let standardDataSource = stub
        let tokens = Tokens(
            login: WebService(baseURLString: "https://login.example.com", dataSource: standardDataSource))
        let dataSource = standardDataSource.adaptingRequests { request in
            guard request.url?.host() == "api.example.com" else { return }
            request.setValue("Bearer \(try await tokens.current())", forHTTPHeaderField: "Authorization")
        }
        let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
        #expect(try await service.GET("/me").json["name"].string == "Ann")
        #expect(try await service.GET("/me").json["name"].string == "Ann")
        #expect(stub.requests.map(\.httpMethod) == ["POST", "GET", "GET"])
        await #expect(throws: ServiceError.self) { try await service.GET("https://elsewhere.test/me").json }
    }
}
