// What the compiler says about the usual mistakes: `Tests/TypeCheck/messages` checks that each line has the one error
// in its comment, and no other line has any.

import Foundation
import Swallow

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
    service.POST("/get", parameters: ["b": 1], options: [.query(["a": 1]), .acceptStatusCodes([200, 304])])
}

func ranges(configuration: inout Configuration) {
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
