import Foundation
import LoopbackServer
import Swallow

/// A small HTTP API for stores, served on this machine over a real socket.
enum StoreServer {
    static func start() throws -> LoopbackServer {
        try LoopbackServer { request in
            let segments = request.path.split(separator: "/")
            switch (request.method, segments.count) {
            case ("GET", 1) where segments[0] == "stores":
                return search(zip: request.queryItems.first { $0.name == "zip" }?.value ?? "")
            case ("GET", 2) where segments[0] == "stores":
                return store(segments[1]) { $0 }
            case ("POST", 3) where segments[0] == "stores" && segments[2] == "favorite":
                let isFavorite = (try? JSON(parsing: request.body))?["favorite"].bool ?? false
                return store(segments[1]) { $0 + [("isFavorite", .bool(isFavorite))] }
            default:
                return notFound("There is nothing at \(request.path).")
            }
        }
    }

    private typealias Members = [(String, JSON)]

    private static func search(zip: String) -> LoopbackServer.Reply {
        // A broken proxy might send this response.
        if zip == "00000" { return .respond(.json("<html>Bad day</html>")) }
        let found = stores.filter { $0.zip == zip }
        guard !found.isEmpty else {
            return notFound("There is no store around \(zip).")
        }
        let results = found.map { store in
            JSON.object(store.members + [("distance", .number(store.distance))])
        }
        return .respond(.json(JSON.object([("stores", .array(results))]).data))
    }

    private static func store(_ id: Substring, _ change: (Members) -> Members) -> LoopbackServer.Reply {
        guard let store = stores.first(where: { "\($0.id)" == id }) else {
            return notFound("There is no store \(id).")
        }
        let members = change(store.members + [("hours", .string(store.hours))])
        return .respond(.json(JSON.object(members).data))
    }

    private static func notFound(_ message: String) -> LoopbackServer.Reply {
        .respond(.json((["message": .string(message)] as JSON).data, status: 404))
    }

    private struct Record {
        let id: Int
        let zip: String
        let name: String
        let street: String
        let city: String
        let distance: Double
        let hours: String

        var members: Members {
            [
                ("id", .number(id)), ("name", .string(name)), ("street", .string(street)),
                ("city", .string(city)),
            ]
        }
    }

    private static let stores = [
        Record(
            id: 41, zip: "15217", name: "Squirrel Hill", street: "1901 Murray Ave", city: "Pittsburgh, PA",
            distance: 0.4, hours: "Mon–Sat 8–21, Sun 9–18"),
        Record(
            id: 42, zip: "15217", name: "Greenfield", street: "520 Greenfield Ave", city: "Pittsburgh, PA",
            distance: 2.1, hours: "Mon–Fri 7–20"),
        Record(
            id: 57, zip: "15217", name: "Café Forbes", street: "5841 Forbes Ave", city: "Pittsburgh, PA",
            distance: 2.6, hours: "daily 6–22"),
        Record(
            id: 7, zip: "94043", name: "Shoreline", street: "1350 Amphitheatre Pkwy",
            city: "Mountain View, CA",
            distance: 1.3, hours: "Mon–Fri 9–18"),
    ]
}
