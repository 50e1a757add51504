import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Web services")
struct WebServiceTests {
    private let source = ManualDataSource()

    @Test("A service starts its tasks immediately")
    func immediately() {
        let task = WebService.test(source).GET("/")
        #expect(task.state == .running)
        #expect(source.exchanges.values.count == 1)
        task.cancel()
    }

    @Test("A service whose startTasksImmediately is false sends nothing before resume()")
    func onResume() {
        let service = WebService.idle("http://h", source)
        let task = service.POST("/x", parameters: ["a": 1]).responseText(.utility) { _ in }
        #expect(task.state == .suspended)
        #expect(source.exchanges.values.isEmpty)
        task.resume()
        task.resume()
        #expect(task.state == .running)
        #expect(source.exchanges.values.count == 1)
        #expect(source.exchanges.values.first?.calls.values.first == .resume)
    }

    @Test("A service can be created with tasks that wait for resume()")
    func createdWithoutStart() throws {
        let url = try #require(URL(string: "http://h"))
        for service in [
            WebService(baseURLString: "http://h", dataSource: source, startTasksImmediately: false),
            WebService(baseURL: url, dataSource: source, startTasksImmediately: false),
        ] {
            #expect(service.GET("/x").state == .suspended)
        }
        #expect(source.exchanges.values.isEmpty)
        #expect(WebService(baseURLString: "http://h").startTasksImmediately)
    }

    @Test("A service has a function for each method")
    func verbs() throws {
        let service = WebService.idle("http://h/v1", source)
        let options: [Request.Option] = [.header("X", "y")]
        let tasks = [
            service.GET("/s", parameters: ["a": 1], options: options),
            service.HEAD("/s", parameters: ["a": 1], options: options),
            service.POST("/s", parameters: ["a": 1], options: options),
            service.PUT("/s", parameters: ["a": 1], options: options),
            service.PATCH("/s", parameters: ["a": 1], options: options),
            service.DELETE("/s", parameters: ["a": 1], options: options),
            service.OPTIONS("/s", parameters: ["a": 1], options: options),
            service.request("REPORT", path: "/s", parameters: ["a": 1], options: options),
        ]
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"]
        for (task, method) in zip(tasks, methods) {
            let request = try task.request.urlRequest()
            #expect(request.httpMethod == method)
            #expect(request.value(forHTTPHeaderField: "X") == "y")
            let isInQuery = method == "GET" || method == "HEAD"
            #expect(request.url?.absoluteString == "http://h/v1/s" + (isInQuery ? "?a=1" : ""))
            #expect(request.bodyText == (isInQuery ? "" : "a=1"))
        }
    }

    @Test(
        "A timeout longer than any clock's range does no harm",
        arguments: [Duration.seconds(Int64.max), .seconds(1 << 40)])
    func longTimeout(timeout: Duration) async {
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let task = WebService.test(source).GET("/", options: [.timeout(timeout)])
        guard case .success = await task.result else {
            Issue.record("the task failed")
            return
        }
    }

    @Test("Services are values")
    func values() {
        var service = WebService.idle("http://h", source)
        let copy = service
        service.startTasksImmediately = true
        service.dataSource = ManualDataSource()
        #expect(copy.GET("/").state == .suspended)
        #expect(service.GET("/").state == .running)
        #expect(source.exchanges.values.isEmpty)
    }
}
