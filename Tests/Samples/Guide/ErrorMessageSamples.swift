import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

extension ServiceError {
    var messageKey: String {
        switch reason {
        case .transport(let error) where error.code == .notConnectedToInternet: "offline"
        case .transport, .timedOut: "unreachable"
        case .unacceptableStatus: "status.\(statusCode ?? 0)"
        default: "other"
        }
    }
}

@Suite("The guide's errors in other languages")
struct ErrorMessageSamples {
    @Test("are reported where nobody received them")
    func unhandled() async {
        let monitor = Recorder<String>()
        let stub = StubDataSource()
        stub.stub(.GET, "/", .status(404))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.unhandledError = { error in monitor.append(error.description) }
        service.GET("/").response(.utility) { _, _ in }
        #expect(await monitor.first(1).first?.contains("404") == true)
    }

    @Test("can be thrown by a handler")
    func thrown() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/exports/7", .json(["status": "failed"]))
        let service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let task =
            service.GET("/exports/7")
            .responseJSON(.utility) { json in
                guard json["status"] != "failed" else {
                    throw ServiceError(.invalidResponse, userMessage: "The export has failed.")
                }
            }
            .responseError(.utility) { error in print(error.userMessage) }
        #expect(await task.error?.userMessage == "The export has failed.")
    }

    @Test("leave the standard words where the catalog has none")
    func catalog() async {
        let stub = StubDataSource()
        stub.stub(.GET, "/", .status(404))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.configure {
            $0.userMessage = { error in
                let key = error.messageKey
                let text = Bundle.main.localizedString(forKey: key, value: nil, table: "Errors")
                return text == key ? nil : text
            }
        }
        guard case .failure(let error) = await service.GET("/").result else {
            Issue.record("it didn't fail")
            return
        }
        #expect(error.messageKey == "status.404")
        #expect(error.userMessage == "This could not be found.")
    }
}
