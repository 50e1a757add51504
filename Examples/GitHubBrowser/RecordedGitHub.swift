import Foundation
import LoopbackServer
import Swallow

/// A server with the responses in `Fixtures`, which have the form that GitHub documents. It uses a real socket.
enum RecordedGitHub {
    static func start() throws -> LoopbackServer {
        try LoopbackServer { request in
            let segments = request.path.split(separator: "/").map { $0.removingPercentEncoding ?? "" }
            switch (request.method, segments.count) {
            case ("GET", 2) where segments[0] == "users":
                return member(named: segments[1], of: "users", by: "login")
            case ("GET", 3) where segments[0] == "users" && segments[2] == "repos":
                let projects = fixture("repos").elements.filter { $0["owner"]["login"].string == segments[1] }
                return page(of: projects, for: request) { .array($0) }
            case ("GET", 3) where segments[0] == "repos":
                return member(named: "\(segments[1])/\(segments[2])", of: "repos", by: "full_name")
            case ("GET", 4) where segments[0] == "repos" && segments[3] == "issues":
                let issues = fixture("issues")["\(segments[1])/\(segments[2])"].elements
                return page(of: Array(issues), for: request) { .array($0) }
            case ("GET", 2) where segments == ["search", "repositories"]:
                return search(request)
            default:
                return notFound
            }
        }
    }

    private static func search(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let words = (value("q", of: request) ?? "").lowercased()
        if words.isEmpty { return error("Validation Failed", status: 422) }
        let found = fixture("repos").elements.filter { project in
            let text = "\(project["full_name"].string ?? "") \(project["description"].string ?? "")"
            return text.lowercased().contains(words)
        }
        .sorted { $0["stargazers_count"].int ?? 0 > $1["stargazers_count"].int ?? 0 }
        return page(of: found, for: request) { items in
            JSON.object([
                ("total_count", .number(found.count)), ("incomplete_results", .bool(false)),
                ("items", .array(items)),
            ])
        }
    }

    /// Returns one page of a list, with the `Link` field that GitHub sends.
    private static func page(
        of items: [JSON], for request: LoopbackServer.Request, _ body: ([JSON]) -> JSON
    ) -> LoopbackServer.Reply {
        let size = min(100, max(1, value("per_page", of: request).flatMap { Int($0) } ?? 30))
        let last = max(1, (items.count + size - 1) / size)
        let number = min(last + 1, max(1, value("page", of: request).flatMap { Int($0) } ?? 1))
        let items = items.dropFirst((number - 1) * size).prefix(size)
        var response = LoopbackServer.Response.json(body(Array(items)).data)
        var links: [(String, Int)] = []
        if number > 1 { links += [("first", 1), ("prev", number - 1)] }
        if number < last { links += [("next", number + 1), ("last", last)] }
        let fields = links.map { "<\(url(of: request, page: $0.1))>; rel=\"\($0.0)\"" }
        if !fields.isEmpty { response.headers.append(("Link", fields.joined(separator: ", "))) }
        return .respond(response)
    }

    private static func url(of request: LoopbackServer.Request, page: Int) -> String {
        let query =
            (request.query ?? "").split(separator: "&").filter { !$0.hasPrefix("page=") } + ["page=\(page)"]
        return "http://127.0.0.1:\(request.port)\(request.path)?\(query.joined(separator: "&"))"
    }

    private static func member(named name: String, of list: String, by key: String) -> LoopbackServer.Reply {
        guard let member = fixture(list).elements.first(where: { $0[key].string == name }) else {
            return notFound
        }
        return .respond(.json(member.data))
    }

    private static var notFound: LoopbackServer.Reply { error("Not Found", status: 404) }

    private static func error(_ message: String, status: Int) -> LoopbackServer.Reply {
        let body: JSON = [
            "message": .string(message), "documentation_url": "https://docs.github.com/rest",
            "status": .string("\(status)"),
        ]
        return .respond(.json(body.data, status: status))
    }

    private static func value(_ name: String, of request: LoopbackServer.Request) -> String? {
        request.queryItems.first { $0.name == name }?.value
    }

    private static func fixture(_ name: String) -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let data = try? Data(contentsOf: folder.appending(path: "\(name).json"))
        return data.flatMap { try? JSON(parsing: $0) } ?? []
    }
}
