import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Stubbed responses")
struct StubResponseTests {
    private let stub = StubDataSource()

    private func answer(to response: StubResponse) async throws -> Call.Outcome {
        stub.stub(.GET, "/stores", response)
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        return await exchange.outcome
    }

    @Test(
        "Responses have a status, a body and a content type",
        arguments: [
            (.json(["stores": [1, 2]]), 200, #"{"stores":[1,2]}"#, "application/json"),
            (.json([], status: 422), 422, "[]", "application/json"),
            (.text("Käse"), 200, "Käse", "text/plain; charset=utf-8"),
            (.text("gone", status: 410), 410, "gone", "text/plain; charset=utf-8"),
            (.data(Data("abc".utf8)), 200, "abc", "application/octet-stream"),
            (.data(Data("a,b".utf8), contentType: "text/csv", status: 206), 206, "a,b", "text/csv"),
            (.data(Data("abc".utf8), contentType: nil), 200, "abc", nil),
            (.status(204), 204, "", nil),
        ] as [(StubResponse, Int, String, String?)])
    func makers(response: StubResponse, status: Int, body: String, contentType: String?) async throws {
        let answer = try await answer(to: response)
        #expect(answer.status == status)
        #expect(answer.text == body)
        #expect(answer.data != nil)
        #expect(answer.response?.value(forHTTPHeaderField: "Content-Type") == contentType)
        #expect(answer.response?.url?.absoluteString == "http://service.test/stores")
        #expect(answer.error == nil)
    }

    @Test(
        "Responses to HEAD have the same head and no body",
        arguments: [
            .json([1]), .text("a"),
            .parts(
                [Data("a".utf8)], contentType: "text/plain", failingWith: URLError(.networkConnectionLost)),
            .dynamic { _ in .text("a") }, .sequence([.text("a")]),
        ] as [StubResponse])
    func head(response: StubResponse) async throws {
        stub.stub(.HEAD, "/stores", response)
        let stream = StreamCall(try .test(.HEAD), stub).streaming().resumed()
        #expect(await stream.body.isEmpty && stream.problems == [])
        let exchange = Call(try .test(.HEAD), stub)
        exchange.task.resume()
        let answer = await exchange.outcome
        #expect(answer.status == 200 && answer.data == Data())
        #expect(answer.response?.value(forHTTPHeaderField: "Content-Type") != nil)
    }

    @Test("Header fields replace the default content type")
    func headers() async throws {
        let problem = try await answer(
            to: .json(
                [:], headers: ["content-type": "application/problem+json", "X-Part": "a", "x-part": "b"]))
        #expect(problem.response?.value(forHTTPHeaderField: "Content-Type") == "application/problem+json")
        #expect(problem.response?.value(forHTTPHeaderField: "X-Part") == "a, b")

        let created = try await answer(to: .status(201, headers: [.location: "/stores/41"]))
        #expect(created.response?.value(forHTTPHeaderField: "Location") == "/stores/41")
    }

    @Test("Each response has the URL of its request")
    func urls() async throws {
        stub.stub(.GET, "/stores/*", .json([:]))
        for path in ["/stores/1", "/stores/2", "/stores/2", "/stores/1"] {
            let exchange = Call(try .test(.GET, Request.Path(path)), stub)
            exchange.task.resume()
            #expect(await exchange.outcome.response?.url?.path == path)
        }
    }

    @Test("A file's response is read when it is requested")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("[1]".utf8).write(to: file)
        stub.stub(.GET, "/stores", .file(file, status: 203, headers: ["X-Part": "a"]))
        try Data("[2]".utf8).write(to: file)

        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        let answer = await exchange.outcome
        #expect(answer.text == "[2]")
        #expect(answer.status == 203)
        #expect(answer.response?.value(forHTTPHeaderField: "X-Part") == "a")
        #expect(answer.response?.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test(
        "A file's content type is derived from its extension, unless it is specified",
        arguments: [
            ("a.JSON", nil, "application/json"), ("a.txt", nil, "text/plain"), ("a.html", nil, "text/html"),
            ("a.xml", nil, "application/xml"), ("a.png", nil, "image/png"), ("a.jpg", nil, "image/jpeg"),
            ("a.jpeg", nil, "image/jpeg"), ("a", nil, "application/octet-stream"),
            ("a.json", "text/json", "text/json"),
        ] as [(String, String?, String)])
    func fileTypes(name: String, contentType: String?, expected: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent(name)
        try Data("x".utf8).write(to: file)
        let answer = try await answer(to: .file(file, contentType: contentType))
        #expect(answer.response?.value(forHTTPHeaderField: "Content-Type") == expected)
    }

    @Test("A missing file fails with an error that has its path")
    func missingFile() async {
        stub.stub(.GET, "/stores", .file(URL(fileURLWithPath: "/nowhere/stores.json")))
        let error = await failure { () throws(ServiceError) in
            try await WebService.test(stub).GET("/stores").data
        }
        #expect(error?.reason == .invalidResponse)
        #expect("\(error as Any)".contains("/nowhere/stores.json"))
        #expect(error?.underlying != nil)
    }

    @Test("Failures can be errors of the network, of Swallow or of the app")
    func failures() async {
        let service = WebService.test(stub)
        stub.stub(.GET, "/network", .failure(URLError(.networkConnectionLost)))
        stub.stub(.GET, "/time", .failure(URLError(.timedOut)))
        stub.stub(.GET, "/swallow", .failure(ServiceError(.emptyBody, userMessage: "Nothing.")))
        stub.stub(.GET, "/app", .failure(AppError(code: 7)))
        let errors = await [
            service.GET("/network"), service.GET("/time"), service.GET("/swallow"), service.GET("/app"),
        ].asyncMap { task in await failure { () throws(ServiceError) in try await task.data } }
        #expect(errors[0]?.reason == .transport(URLError(.networkConnectionLost)))
        #expect(errors[1]?.reason == .timedOut)
        #expect(errors[2]?.reason == .emptyBody)
        #expect(errors[2]?.userMessage == "Nothing.")
        #expect(errors[3]?.underlying as? AppError == AppError(code: 7))
    }

    @Test("A closure creates a response from the request")
    func dynamic() async throws {
        stub.stub(
            .PUT, "/echo",
            .dynamic {
                .data($0.httpBody ?? Data(), contentType: $0.value(forHTTPHeaderField: "Content-Type"))
            })
        let json = try await WebService.test(stub).PUT("/echo", options: [.json(["id": 41] as JSON)]).json
        #expect(json == ["id": 41])
    }

    @Test("If a closure throws, the response is its error")
    func throwingClosure() async throws {
        let answer = try await answer(to: .dynamic { _ in throw AppError(code: 3) })
        #expect(answer.error as? AppError == AppError(code: 3))
        #expect(answer.response == nil)
    }

    @Test("A closure can use the data source")
    func reentrantClosure() async throws {
        let answer = try await answer(
            to: .dynamic { [stub] request in
                stub.stub(.GET, "/later", .status(204))
                return .text("\(stub.requests.count)")
            })
        #expect(answer.text == "1")
    }

    @Test("The error of an unacceptable status has the stubbed body")
    func errorBody() async {
        stub.stub(.POST, "/stores", .json(["message": "No name."], status: 422))
        let error = await failure { () throws(ServiceError) in
            try await WebService.test(stub).POST("/stores").data
        }
        #expect(error?.statusCode == 422)
        #expect(error?.json["message"].string == "No name.")
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async -> Value) async -> [Value] {
        var values: [Value] = []
        for element in self { values.append(await transform(element)) }
        return values
    }
}
