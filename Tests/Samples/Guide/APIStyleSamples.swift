import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import Testing

struct GraphQL<Variables: Encodable & Sendable>: Encodable, Sendable {
    let query: String
    let variables: Variables
}

struct GraphQLError: LocalizedError {
    let errorDescription: String?
}

extension WebService {
    func graphQL(_ query: String, _ variables: some Encodable & Sendable) -> ServiceTask {
        POST("/graphql", options: [.json(GraphQL(query: query, variables: variables))])
    }
}

struct Article: Equatable, Identifiable, Sendable {
    let id: String
    let title: String
    let authorID: String
}

extension Decoding where Value == Article {
    static var article: Self {
        Decoding(
            Article.init,
            .required("id", .string),
            .required(at: ["attributes", "title"], .string),
            .required(at: ["relationships", "author", "data", "id"], .string))
    }
}

struct Articles: Readable {
    typealias Entity = Article
    let service: WebService
    let name: Request.Path = "articles"
    let envelope: Envelope = .at("data")
    let decoding: Decoding<Article> = .article
    let pagination: Pagination = .body(next: ["links", "next"])
}

struct Problem: Equatable, Sendable {
    let type: String
    let title, detail: String?
}

extension ServiceError {
    var problem: Problem? {
        guard entity?.contentType == "application/problem+json" else { return nil }
        return Problem(
            type: json["type"].string ?? "about:blank", title: json["title"].string,
            detail: json["detail"].string)
    }
}

struct ProblemMessage: ResponseTransformer {
    func process(_ response: Response) -> Response {
        response.mapError { error in
            var error = error
            error.userMessage = error.problem?.detail ?? error.problem?.title ?? error.userMessage
            return error
        }
    }
}

@Suite("The guide's recipes for kinds of APIs")
struct APIStyleSamples {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("ask a server of GraphQL")
    func graphQL() async throws {
        stub.stub(
            .POST, "/graphql",
            .sequence([
                .json(["data": ["stores": [["id": 41, "name": "Squirrel Hill"]]]]),
                .json(["data": nil, "errors": [["message": "There is no field \"street\"."]]]),
            ]))
        var service = service
        service.configureTransformer("/graphql") { (entity: Entity<JSON>) -> JSON? in
            if let message = entity.content["errors"][0]["message"].string {
                throw GraphQLError(errorDescription: message)
            }
            return entity.content["data"]
        }
        let query = "query Search($zip: String!) { stores(zip: $zip) { id name } }"
        let stores = try await service.graphQL(query, ["zip": "15217"])
            .decoded(with: .at(["stores"], .array(Decoding<Store>.codable)))
        #expect(stores == [Store(id: 41, name: "Squirrel Hill")])
        #expect(stub.request(0).json == ["query": .string(query), "variables": ["zip": "15217"]])
        await #expect { try await service.graphQL(query, ["zip": "15217"]).data } throws: { error in
            (error as? ServiceError)?.userMessage == "There is no field \"street\"."
        }
    }

    @Test("read a list of JSON:API")
    func jsonAPI() async throws {
        func article(_ id: String) -> JSON {
            [
                "type": "articles", "id": .string(id),
                "attributes": ["title": "JSON:API paints my bikeshed!"],
                "relationships": ["author": ["data": ["type": "people", "id": "9"]]],
            ]
        }
        let headers: Headers = ["Content-Type": "application/vnd.api+json"]
        let next: JSON = ["next": "https://api.example.com/articles?page[number]=2"]
        stub.stub(.GET, "/articles", .json(["data": [article("1")], "links": next], headers: headers))
        stub.stub(
            .GET, "/articles", query: ["page[number]": "2"], .json(["data": [article("2")]], headers: headers)
        )
        stub.stub(.GET, "/articles/1", .json(["data": article("1")], headers: headers))
        var service = service
        service.configure { $0.headers[.accept] = "application/vnd.api+json" }
        let articles = Articles(service: service)
        let article = try await articles.read(id: "1").value
        var ids: [String] = []
        for try await article in articles.entities() { ids.append(article.id) }
        #expect(article.authorID == "9" && ids == ["1", "2"])
        #expect(stub.request(0)[.accept] == "application/vnd.api+json")
    }

    @Test("read a problem")
    func problems() async throws {
        stub.stub(
            .POST, "/orders",
            .json(
                [
                    "type": "https://example.com/probs/out-of-credit",
                    "title": "You do not have enough credit.",
                    "detail": "Your current balance is 30, but that costs 50.",
                ],
                status: 403, headers: ["Content-Type": "application/problem+json"]))
        var service = service
        service.configure { $0.pipeline[.cleanup].add(ProblemMessage()) }
        var message = ""
        var asksForCredit = false
        do throws(ServiceError) {
            _ = try await service.POST("/orders", parameters: ["item": "tea"]).data
        } catch {
            message = error.userMessage
            asksForCredit = error.problem?.type == "https://example.com/probs/out-of-credit"
        }
        #expect(message == "Your current balance is 30, but that costs 50." && asksForCredit)
        stub.stub(.POST, "/orders", .json(["detail": "of another kind"], status: 403))
        let other = await service.POST("/orders").result
        guard case .failure(let error) = other else { return #expect(Bool(false)) }
        #expect(error.problem == nil && error.userMessage != "of another kind")
    }

    @Test("show a preview")
    func previews() async throws {
        let search = await StoreSearch(.preview)
        await search.search("squ")
        #expect(try await WebService.preview.GET("/stores").decoded(as: [Store].self).count == 1)
        let screen = await ProfileScreen(ResourceStore(service: .preview))
        _ = try await screen.profile.load().value
        #expect(await screen.title == "Ada")
    }
}
