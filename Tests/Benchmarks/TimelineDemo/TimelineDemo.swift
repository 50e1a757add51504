import Foundation
import Swallow
import SwallowTesting

/// Loads a screen's data twice and prints the timeline to standard error. The second time, some responses come from the
/// cache and some are validated. `.ci/terminal` turns the output into a picture of the guide.
@main
enum TimelineDemo {
    static func main() async throws {
        let server = try await TestServer { request in answer(to: request) }
        defer { server.stop() }
        var service = WebService(baseURL: server.url)
        service.log = .timeline()
        service.configure { configuration in
            configuration.pipeline[.parsing].cacheUsing(MemoryCache())
            configuration.cachePolicy = .standard
            configuration.retry = .standard
        }
        try await show(service)
        try await show(service)
    }

    private static func show(_ service: WebService) async throws {
        let profile = try await service.GET("/profile").json
        async let stores = service.GET("/stores", parameters: ["zip": profile["zip"].string]).data
        async let offers = service.GET("/offers").data
        async let menu = service.GET("/menu").data
        async let photo = service.GET("/photo").data
        _ = try await (stores, offers, menu, photo)
        _ = await service.GET("/orders/7").result
    }

    private static func answer(to request: TestServer.Request) -> TestServer.Response {
        switch request.path {
        case "/profile": reply(.milliseconds(20), ["zip": "15217"], "max-age=60")
        case "/stores": reply(.milliseconds(70), [], "max-age=60")
        case "/offers": reply(.milliseconds(45), [], "max-age=0, stale-while-revalidate=60")
        case "/menu" where request["If-None-Match"] != nil:
            .status(304, headers: ["ETag": "\"1\""]).delayed(.milliseconds(25))
        case "/menu": reply(.milliseconds(60), ["soup"], "no-cache", ["ETag": "\"1\""])
        case "/photo":
            .chunks(
                Array(repeating: Data(count: 60_000), count: 8), contentType: "image/png",
                headers: ["Cache-Control": "no-store"], every: .milliseconds(12))
        default: .json(["message": "There is no such order."], status: 404).delayed(.milliseconds(15))
        }
    }

    private static func reply(
        _ delay: Duration, _ json: JSON, _ rules: String, _ headers: Headers = [:]
    ) -> TestServer.Response {
        var headers = headers
        headers["Cache-Control"] = rules
        return .json(json, headers: headers).delayed(delay)
    }
}
