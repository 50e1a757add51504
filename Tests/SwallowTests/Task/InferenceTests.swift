import Foundation
import Swallow
import TestSupport
import Testing

private struct Store: Codable, Equatable, Sendable {
    let id: Int
}

extension ServiceTask {
    @discardableResult
    fileprivate func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self {
        responseDecoded(handler)
    }

    @discardableResult
    fileprivate func responseAsStores(
        _ queue: DispatchQueue, _ handler: @escaping QueueHandler<[Store]>
    ) -> Self {
        responseDecoded(queue, handler)
    }

    @discardableResult
    fileprivate func failed(
        _ queue: DispatchQueue, _ queueHandler: @escaping @Sendable (ServiceError) -> Void,
        _ handler: @escaping ErrorHandler
    ) -> Self {
        responseError(queue, queueHandler).responseError(handler)
    }
}

@Suite("Handlers that infer their type from the closure")
struct InferenceTests {
    private let stores = Recorder<[Store]>()

    private func task(status: Int = 200) -> ServiceTask {
        let source = ManualDataSource(answersInResume: { $0.answer(#"[{"id": 1}]"#, status: status) })
        var service = WebService.test(source)
        service.configureTransformer("/model", decoding: [Store].self)
        return service.GET("/model")
    }

    @Test(
        "responseDecoded and responseContent infer their type from the closure's parameter, on each actor and queue"
    )
    func inferred() async {
        task()
            .responseDecoded { (stores: [Store]) in self.stores.append(stores) }
            .responseDecoded(.utility) { (stores: [Store]) in self.stores.append(stores) }
            .responseContent { (stores: [Store]) in self.stores.append(stores) }
            .responseContent(.utility) { (stores: [Store]) in self.stores.append(stores) }
        #expect(await stores.first(4) == Array(repeating: [Store(id: 1)], count: 4))
    }

    @Test("An app can write its own handler methods with the handler types")
    func typealiases() async {
        task()
            .responseAsStores { stores in self.stores.append(stores) }
            .responseAsStores(.utility) { stores in self.stores.append(stores) }
        #expect(await stores.first(2).count == 2)
        let errors = Recorder<Int?>()
        task(status: 404).failed(.utility) {
            errors.append($0.statusCode)
        } _: {
            errors.append($0.statusCode)
        }
        #expect(await errors.first(2) == [404, 404])
    }
}
