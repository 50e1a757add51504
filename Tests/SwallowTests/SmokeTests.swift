import Foundation
import LoopbackServer
@testable import Swallow
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct SmokeTests {
    @Test func chain() async throws {
        let server = try LoopbackServer()
        let service = WebService(baseURLString: server.baseURLString)
        let log = Lock<[String]>([])
        let task = service.GET("/echo", parameters: ["q": "a+b&c=d/e?f#g%h é 日本"])
            .response { r, d in log.withLock { $0.append("main \(r.statusCode)") } }
            .response(.utility) { r, d in log.withLock { $0.append("utility \(d.count > 0)") } }
            .responseJSON { json in log.withLock { $0.append(json["query"]["q"].string ?? "?") } }
            .responseError { e in log.withLock { $0.append("\(e)") } }
        let json = try await task.json
        #expect(json["method"] == "GET")
        #expect(log.withLock { $0 } == ["main 200", "utility true", "a+b&c=d/e?f#g%h é 日本"])
        for path in ["/redirect/3", "/basic-auth/u/p", "/unauthorized", "/gzip", "/status/404"] {
            let r = await service.GET(Request.Path(path)).result
            print(path, (try? r.get()).map { "\($0.content)" } ?? "", r)
        }
    }
}
