import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Methods and bodies")
struct BodyTests {
    static let bodyMethods: [Request.Method] = [
        .POST, .PUT, .PATCH, .DELETE, .OPTIONS, "PROPFIND", "X-!#$%&'*+-.^_`|~9",
    ]
    private let formType = "application/x-www-form-urlencoded"

    @Test(
        "GET and HEAD send parameters in the query, without a body", arguments: [Request.Method.GET, .HEAD])
    func inQuery(method: Request.Method) throws {
        let request = try built(method, parameters: ["a": 1], options: [.query(["b": 2])])
        #expect(Set(request.url?.query?.split(separator: "&") ?? []) == ["a=1", "b=2"])
        #expect(request.httpMethod == method.rawValue)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test("Every other method sends them in the body, with its type", arguments: bodyMethods)
    func inBody(method: Request.Method) throws {
        let form = try built(
            method, "/s?x=1", parameters: ["a": 1], options: [.query(["b": 2]), .query(["c": 3])])
        #expect(form.httpMethod == method.rawValue)
        #expect(form.bodyText == "a=1")
        #expect(form.value(forHTTPHeaderField: "Content-Type") == formType)
        #expect(form.url?.query == "x=1&b=2&c=3")
        let json = try built(method, parameters: ["a": 1], options: [.parameterEncoding(.json)])
        #expect(json.bodyText == #"{"a":1}"#)
        #expect(json.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test("A Content-Type that was set wins, in an option or configured")
    func contentType() throws {
        let options: [Request.Option] = [.header("content-type", "x/y")]
        #expect(
            try built(.POST, parameters: ["a": 1], options: options).value(forHTTPHeaderField: "Content-Type")
                == "x/y")
        let json = try built(.POST, options: options + [.json(1)])
        #expect(json.value(forHTTPHeaderField: "Content-Type") == "x/y")
        #expect(json.allHTTPHeaderFields?.filter { $0.key != "Accept" } == ["content-type": "x/y"])
        let data = try built(.POST, options: options + [.body(Data(), contentType: "a/b")])
        #expect(data.value(forHTTPHeaderField: "Content-Type") == "x/y")
        var configuration = WebService.Configuration()
        configuration.headers[.contentType] = "c/d"
        let request = Request(
            .POST, baseURLString: "http://h", parameters: ["a": 1], configuration: configuration)
        #expect(try request.urlRequest().value(forHTTPHeaderField: "Content-Type") == "c/d")
    }

    @Test("A method in lower case is that method, not another that URLRequest turns into it")
    func lowerCase() throws {
        let methods: [Request.Method] = ["get", "Head", "post", "put", "delete", "options"]
        #expect(methods == [.GET, .HEAD, .POST, .PUT, .DELETE, .OPTIONS])
        for method in [Request.Method("patch"), "Get", "report"] {
            let request = try built(method, parameters: ["a": 1])
            #expect(request.httpMethod == method.rawValue)
            #expect((request.httpBody == nil) == (method == .GET))
        }
    }

    @Test("Without parameters there is neither body nor type", arguments: bodyMethods)
    func noBody(method: Request.Method) throws {
        let request = try built(method, options: [.parameterEncoding(.json)])
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(
        "A method that is no token is an invalid request",
        arguments: ["", " ", "GET ", "G T", "GET\r\nX: y", "GÉT", "A:B", "\0", "a/b"])
    func badMethods(name: String) {
        let error = failure { () throws(ServiceError) in try built(Request.Method(rawValue: name)) }
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("method") == true)
    }

    static let jsonValues: [(any Encodable & Sendable, String)] = [
        ([1, 2], "[1,2]"), ("text", #""text""#), (Int?.none, "null"),
        (["z": 1, "a": [nil, true]] as JSON, #"{"z":1,"a":[null,true]}"#),
        (JSON.null, "null"), (["a": Sorting.name], #"{"a":"name"}"#),
    ]

    @Test("A JSON option sends any Encodable; a JSON value keeps its order", arguments: 0..<jsonValues.count)
    func json(index: Int) throws {
        let (value, text) = Self.jsonValues[index]
        let request = try built(.PUT, options: [.json(value)])
        #expect(request.bodyText == text)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test("A JSON option that can't be encoded is an invalid request with the cause")
    func throwing() {
        struct Throwing: Encodable {
            func encode(to encoder: any Encoder) throws { throw AppError(code: 5) }
        }
        let error = failure { () throws(ServiceError) in try built(.POST, options: [.json(Throwing())]) }
        #expect(error?.reason == .invalidRequest)
        #expect(error?.underlying as? AppError == AppError(code: 5))
        #expect(error?.description.contains("Throwing") == true)
        let infinite = failure { () throws(ServiceError) in
            try built(.POST, options: [.json(["speed": Double.infinity])])
        }
        #expect(infinite?.reason == .invalidRequest)
        #expect(infinite?.description.contains("speed") == true)
    }

    @Test("JSON that is missing is no body that can be sent")
    func missing() {
        let json: JSON = [:]
        let error = failure { () throws(ServiceError) in try built(.POST, options: [.json(json["none"])]) }
        #expect(error?.reason == .invalidRequest)
    }

    @Test("A body has one owner")
    func owners() {
        let owners: [[Request.Option]] = [
            [.json(1), .json(2)], [.json(1), .body(Data(), contentType: "a/b")],
            [.body(Data(), contentType: "a/b"), .body(Data(), contentType: "a/b")],
        ]
        for options in owners {
            #expect(
                failure { () throws(ServiceError) in try built(.POST, options: options) }?.reason
                    == .invalidRequest)
        }
        let others: [(Request.Option, String)] = [
            (.json(1), ".json"), (.body(Data(), contentType: "a/b"), ".body"),
        ]
        for (option, other) in others {
            let error = failure { () throws(ServiceError) in
                try built(.POST, parameters: ["a": 1], options: [option])
            }
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("by parameters and \(other)") == true)
        }
    }

    @Test("GET and HEAD have no body", arguments: [Request.Method.GET, .HEAD])
    func bodyOnGET(method: Request.Method) {
        for option in [Request.Option.json(1), .body(Data(), contentType: "a/b")] {
            let error = failure { () throws(ServiceError) in try built(method, options: [option]) }
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains(method.rawValue) == true)
        }
    }

    @Test("An invalid request never reaches the data source")
    func nothingSent() async {
        let source = ManualDataSource()
        let service = WebService.test(source)
        let tasks = [
            service.GET("/", options: [.json(1)]), service.GET("/\("..")"),
            service.GET("/", parameters: ["a": Double.nan]),
            service.request("a b", path: "/"), service.POST("/", options: [.header("x", "\n")]),
        ]
        for task in tasks {
            guard case .failure(let error) = await task.result else {
                Issue.record("the task succeeded")
                continue
            }
            #expect([.invalidRequest, .invalidURL].contains(error.reason))
            #expect(task.state == .completed)
        }
        #expect(source.exchanges.values.isEmpty)
    }
}
