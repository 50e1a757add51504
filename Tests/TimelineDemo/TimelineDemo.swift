import Foundation
import LoopbackServer
import Swallow

/// Shows a screen twice, with the timeline on standard error: what is new, what a cache has, what the server confirms. Its
/// output is a picture of the guide, which `.ci/terminal` makes.
@main
enum TimelineDemo {
    static func main() async throws {
        let server = try LoopbackServer { request in answer(to: request) }
        defer { server.stop() }
        var service = WebService(baseURLString: server.baseURLString)
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

    private static func answer(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        switch request.path {
        case "/profile": reply(.milliseconds(20), #"{"zip":"15217"}"#, "max-age=60")
        case "/stores": reply(.milliseconds(70), "[]", "max-age=60")
        case "/offers": reply(.milliseconds(45), "[]", "max-age=0, stale-while-revalidate=60")
        case "/menu" where request.header("If-None-Match") != nil:
            .delayed(.milliseconds(25), LoopbackServer.Response(status: 304, headers: [("ETag", "\"1\"")]))
        case "/menu": reply(.milliseconds(60), #"["soup"]"#, "no-cache", ("ETag", "\"1\""))
        case "/photo":
            .respond(
                LoopbackServer.Response(
                    headers: [("Content-Type", "image/png"), ("Cache-Control", "no-store")],
                    body: .drip(
                        chunks: Array(repeating: Data(count: 60_000), count: 8), every: .milliseconds(12))))
        default: .delayed(.milliseconds(15), .json(#"{"message":"There is no such order."}"#, status: 404))
        }
    }

    private static func reply(
        _ delay: Duration, _ text: String, _ rules: String, _ fields: (name: String, value: String)...
    ) -> LoopbackServer.Reply {
        let fields = [("Content-Type", "application/json"), ("Cache-Control", rules)] + fields
        return .delayed(delay, LoopbackServer.Response(headers: fields, body: .data(Data(text.utf8))))
    }
}
