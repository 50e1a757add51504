import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ServiceTransport: ClientTransport {
    let service: WebService

    func send(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var options: [Request.Option] = [.acceptableStatusCodes(100..<600)]
        for field in request.headerFields {
            options.append(.header(Headers.Name(field.name.rawName), field.value))
        }
        if let body {
            let data = try await Data(collecting: body, upTo: 10_000_000)
            options.append(.body(data, contentType: "application/octet-stream"))
        }
        let (head, data) = try await service.request(
            Request.Method(rawValue: request.method.rawValue),
            path: Request.Path(baseURL.absoluteString + (request.path ?? "")), options: options
        ).response
        var response = HTTPResponse(status: .init(code: head.statusCode))
        for (name, value) in Headers(head) {
            if let name = HTTPField.Name(name.rawValue) { response.headerFields[name] = value }
        }
        return (response, HTTPBody(data))
    }
}

@Suite("The guide's transport for OpenAPI")
struct OpenAPISamples {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
    }

    @Test("sends requests of a client, and returns every status")
    func transport() async throws {
        stub.stub(.POST, "/v1/stores", query: ["notify": "1"], .json(["message": "Not so."], status: 422))
        let transport = ServiceTransport(service: service)
        var request = HTTPRequest(method: .init(rawValue: "POST"), path: "/stores?notify=1")
        request.headerFields[try #require(HTTPField.Name("Content-Type"))] = "application/json"
        let (response, body) = try await transport.send(
            request, body: HTTPBody(Data(#"{"name":"a"}"#.utf8)),
            baseURL: try #require(URL(string: "https://api.example.com/v1")), operationID: "addStore")
        #expect(response.status.code == 422)
        #expect(response.headerFields[try #require(HTTPField.Name("Content-Type"))] == "application/json")
        #expect(body?.data == Data(#"{"message":"Not so."}"#.utf8))
        #expect(
            stub.request(0).text == #"{"name":"a"}"# && stub.request(0)[.contentType] == "application/json")
    }

    @Test("uses the service's authenticator for its origin")
    func authentication() async throws {
        stub.stub(.GET, "/v1/stores", .json([]))
        let transport = ServiceTransport(
            service: service.configured { $0.authenticator = .basic("ann", "word") })
        let (response, _) = try await transport.send(
            HTTPRequest(method: .init(rawValue: "GET"), path: "/stores"), body: nil,
            baseURL: try #require(URL(string: "https://api.example.com/v1")), operationID: "listStores")
        #expect(response.status.code == 200)
        #expect(stub.request(0)[.authorization] == "Basic YW5uOndvcmQ=")
    }
}
