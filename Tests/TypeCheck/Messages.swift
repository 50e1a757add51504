// Usual mistakes. `Tests/TypeCheck/messages` checks that each marked line has exactly one error, with the text in its
// comment, and that no other line has an error.

import Foundation
import Swallow
import SwallowResources

func paths(service: WebService, text: String, id: String, optional: String?, url: URL) {
    service.GET(text)  // error: Write Request.Path(text), or a literal
    service.POST("/a/" + id)  // error: Write Request.Path(text), or a literal
    service.DELETE("/a/\(optional)")  // error: Write Request.Path(text), or a literal
    service.GET("/a/\(id)")
    service.GET(Request.Path(text))
    service.GET(url)
    service.GET("\(raw: text)/get")
}

func parameters(service: WebService, any: [String: Any], text: [String: String], view: Thread, number: Int) {
    service.GET("/get", parameters: any)  // error: Write [String: any ParameterConvertible]
    service.PUT("/get", parameters: ["a": view])  // error: Write [String: any ParameterConvertible]
    service.GET("/get", parameters: ["a": ["a", 1, true]])  // error: Write [String: any ParameterConvertible]
    service.GET("/get", parameters: text)
    service.GET("/get", parameters: ["b": number, "a": text, "c": nil, "d": .array("a", number, true)])
    service.POST(
        "/get", parameters: ["b": 1], options: [.query(["a": 1]), .acceptableStatusCodes([200, 304])])
}

func ranges(configuration: inout WebService.Configuration) {
    let range = 0..<5
    _ = range.count
    configuration.acceptableStatusCodes = 200..<300
    configuration.acceptableStatusCodes = [200..<300, 304]
    for index in 0...3 { _ = index }
}

struct Store: Codable {}

extension Decoding where Value == Store {
    static var store: Self { Decoding(Store.init) }
}

extension ServiceTask {
    func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self { responseDecoded(handler) }
    func failed(_ handler: @escaping ErrorHandler) -> Self { responseError(handler) }
}

func decodings(task: ServiceTask, service: WebService, queue: DispatchQueue) async throws {
    _ = try await task.decoded(as: .array(.string))  // error: Write with: for a Decoding
    task.responseDecoded(as: .store) { store in print(store) }  // error: Write with: for a Decoding
    task.responseDecoded(queue, as: .array(.store)) { print($0) }  // error: Write with: for a Decoding
    _ = service.future(as: .store) { $0.GET("/a") }  // error: Write with: for a Decoding
    _ = try await task.decoded(with: .array(.string))
    task.responseDecoded(with: .store) { store in print(store) }
    task.responseDecoded { (stores: [Store]) in print(stores) }
    task.responseDecoded(queue) { (stores: [Store]) in print(stores) }
    task.responseContent { (store: Store) in print(store) }
    task.responseContent(queue) { (store: Store) in print(store) }
    task.transform { (stores: [Store]) in stores.first }.responseContent { (store: Store) in print(store) }
    let data: ServiceFuture<Data> = service.future { $0.GET("/a") }
    let entity = service.future(as: Entity<[Store]>.self) { $0.GET("/a") }
    _ = (data, entity)
}

func labels(service: WebService, id: String, user: Store, data: Data, token: String?, text: [String: String])
{
    service.GET("/a", headers: ["Accept": "text/csv"])  // error: options: [.header(
    service.GET("/a/\(id)", headers: text)  // error: options: [.header(
    service.GET("/a", query: ["q": "x", "page": 2])  // error: Write parameters: for a query
    service.POST("/a", parameters: ["q": 1], body: data)  // error: Write options: [.json(value)
    service.HEAD("/a", parameters: [:], headers: ["X": token ?? ""])  // error: options: [.header(
    service.POST("/a", json: user)  // error: Write options: [.json(value)
    service.POST("/a", json: ["name": "x", "age": 3] as [String: Any])  // error: Write options: [.json(value)
    service.POST("/a", query: ["q": 1], headers: text, body: data)  // error: Write options: [.json(value)
    service.PUT("/a/\(id)", body: data)  // error: Write options: [.json(value)
    service.PATCH("/a", body: user)  // error: Write options: [.json(value)
    service.DELETE("/a", headers: text)  // error: Write options: [.json(value)
    service.get("/a")  // error: renamed to 'GET'
    service.get("/a/\(id)", parameters: ["q": 1]).response { print($1) }  // error: renamed to 'GET'
    service.post("/a", options: [.json(user)])  // error: renamed to 'POST'
    service.put("/a")  // error: renamed to 'PUT'
    service.patch("/a")  // error: renamed to 'PATCH'
    service.delete("/a/\(id)")  // error: renamed to 'DELETE'
    service.head("/a")  // error: renamed to 'HEAD'
    service.GET("/a")
    service.GET("/a", options: [.header(.accept, "text/csv")])
    service.GET(
        "/a", parameters: text, options: [.header("Accept", "text/csv"), .query(["q": "x", "page": 2])])
    service.POST("/a")
    service.POST("/a", options: [.json(user), .query(["q": 1])])
    service.POST("/a", parameters: ["name": "x", "age": 3])
    service.PUT("/a/\(id)", options: [.body(data, contentType: "text/csv")])
    service.PATCH("/a/\(id)", parameters: [:])
    service.DELETE("/a/\(id)")
    service.OPTIONS("/a").response { _, _ in }
}

func handlers(task: ServiceTask, queue: DispatchQueue) async throws {
    task.responseDecoded([Store].self) { stores in print(stores) }  // error: Write responseDecoded(
    task.responseDecoded(queue, [Store].self) { stores in print(stores) }  // error: Write responseDecoded(
    _ = try await task.decoded([Store].self)  // error: Write decoded(as: [Store].self)
    task.responseDecoded(as: [Store].self) { result in  // error: write responseError
        switch result {
        case .success(let stores): print(stores)
        case .failure(let error): print(error)
        }
    }
    task.responseDecoded { (stores: Result<[Store], ServiceError>) in }  // error: write responseError
    task.responseDecoded { (result: Result<[Store], any Error>) in _ = result }  // error: write responseError
    task.responseJSON { result in  // error: write responseError
        switch result {
        case .success(let json): print(json["name"])
        case .failure(let error): print(error)
        }
    }
    task.responseText { (text: Result<String, ServiceError>) in print(text) }  // error: write responseError
    task.responseContent(as: [Store].self) { result in  // error: write responseError
        if case .success(let stores) = result { print(stores) }
    }
    task.response { result in  // error: write responseError
        switch result {
        case .success(let data): print(data.count)
        case .failure(let error): print(error)
        }
    }
    task.response { response, data in print(response.statusCode, data.count) }
    task.response { print($0, $1) }
    task.response(queue) { _, _ in }
    task.responseContent { (json: JSON) in print(json) }
    task.responseDecoded { (stores: [Store]) in print(stores) }
    task.responseDecoded(as: [Store].self) { print($0) }
    task.responseDecoded(as: [Store].self) { _ in }
    task.responseDecoded(as: Store?.self) { store in if let store { print(store) } }
    task.responseDecoded(queue, as: [Store].self) { stores in
        for store in stores { print(store) }
    }
    task.responseJSON { _ in }
    task.responseJSON { json in print(json["name"].string ?? "") }
    task.responseJSON { print($0) }
    task.responseJSON(queue) { print($0) }
    task.responseText { text in
        let lines = text.split(separator: "\n")
        print(lines.count)
    }
    task.responseText { print($0) }
    task.responseCompleted { result in
        if case .failure(let error) = result { print(error) }
    }
    let stores: [Store] = try await task.decoded()
    _ = try await (stores, task.decoded(as: [Store].self), task.decoded() as Store)
}

func recoveries(task: ServiceTask, future: ServiceFuture<[Store]>, queue: DispatchQueue) async throws {
    task.recover { error in throw error }
    task.recover { _ in [Store]() }.responseDecoded { (stores: [Store]) in print(stores) }
    task.recover { error in
        guard error.isNotFound else { throw error }
        return [Store]()
    }
    task.recover { error in
        guard error.isNotFound else { throw error }
    }
    task.recover(queue) { _ in JSON.array([]) }
    task.recover { _ in Entity(content: [Store](), contentType: "application/json") }
    task.recover { error -> Entity<any Sendable> in
        if error.isNotFound { return Entity(content: JSON.array([])) }
        return Entity(content: "text")
    }
    _ = future.recover { error in throw error }
    _ = future.recover { _ in [] }
    _ = future.recover { error in
        guard error.isNotFound else { throw error }
        return []
    }
    _ = future.recover { _ in ServiceFuture { [Store()] } }
    _ = future.recover { error in
        guard error.isNotFound else { throw error }
        return future
    }
}

func creations(url: URL, stores: [Store]) {
    _ = ServiceFuture(value: 1)  // error: Write ServiceFuture { value }
    _ = WebService.Configuration()  // error: Services create configurations
    _ = Request(.GET, "/stores")  // error: Services create requests
    _ = Request(method: .POST, path: "/stores")  // error: Services create requests
    _ = Request(path: "/stores", method: .GET)  // error: Services create requests
    _ = Request(path: "/stores")  // error: Services create requests
    _ = Request(url: url)  // error: Services create requests
    _ = ServiceFuture { 1 }
    _ = ServiceFuture { stores }
    _ = ServiceFuture(operation: { stores })
    _ = WebService(baseURLString: "https://api.example.com", startTasksImmediately: false)
    _ = WebService(baseURL: url, standardTransformers: StandardTransformer.all)
    _ = WebService(baseURL: url, standardTransformers: [])
}

func configurations(service: WebService, method: Request.Method) async throws {
    var service = service
    let settings: @Sendable (inout WebService.Configuration) -> Void = { $0.timeout = .seconds(5) }
    service.configure(settings)
    service.configure(.all, settings)
    service.configure("/a/**", methods: [method], settings)
    service.configure { $0.timeout = .seconds(5) }
    service.configure { configuration in
        configuration.timeout = .seconds(5)
        configuration.headers[.userAgent] = "App"
    }
    service.configure("/a/*") { $0.timeout = .seconds(5) }
    service.configure(methods: [.GET]) { $0.timeout = .seconds(5) }
    _ = service.configured(settings).configured { $0.timeout = .seconds(5) }
    _ = service.configured("/a/*") { $0.timeout = .seconds(5) }
    try await service.clock.sleep(for: .seconds(1))
    let task = service.request(method, path: "/a")
    _ = (task.request.timeout, await task.error)
}

// If an app declares functions with the names of Swallow's hints, calls of these functions aren't ambiguous.
extension WebService {
    func options(_ path: Request.Path, parameters: Parameters = [:], options: [Request.Option] = [])
        -> ServiceTask
    {
        OPTIONS(path, parameters: parameters, options: options)
    }

    func OPTIONS(_ path: Request.Path, json: any Encodable & Sendable) -> ServiceTask {
        OPTIONS(path, options: [.json(json)])
    }
}

func ownFunctions(service: WebService, user: Store) {
    _ = service.options("/a")
    _ = service.OPTIONS("/a", json: user)
}

func cachePolicies(service: WebService, configuration: inout WebService.Configuration) {
    configuration.cachePolicy = .useProtocolCachePolicy  // error: renamed to 'standard'
    configuration.cachePolicy = .returnCacheDataElseLoad  // error: Write .preferCache(
    configuration.cachePolicy = .returnCacheDataDontLoad  // error: renamed to 'onlyCache'
    service.GET("/a", options: [.cachePolicy(.reloadIgnoringLocalCacheData)])  // error: renamed to 'reload'
    service.GET("/a", options: [.cachePolicy(.reloadRevalidatingCacheData)])  // error: renamed to 'validate'
    service.GET("/a", options: [.cachePolicy(.preferCache(maxAge: .seconds(60)))])
}

enum Feed: String, RequestPathConvertible {
    case top
    var requestPath: Request.Path { "/feeds/\(rawValue)" }
}

func references(service: WebService, urls: [URL]) {
    let get: (Request.Path, Parameters, [Request.Option]) -> ServiceTask = service.GET
    let send = service.GET
    _ = urls.map { service.GET($0) }
    _ = (get("/a", [:], []), send("/a", [:], []), service.GET(Feed.top))
}
