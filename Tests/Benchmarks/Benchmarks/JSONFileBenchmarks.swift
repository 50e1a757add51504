import Foundation
import Swallow

/// Returns a benchmark that parses, reads and writes each JSON document in a folder. It also decodes `twitter.json` and
/// `citm_catalog.json`, which many JSON benchmarks use.
func jsonFiles(in folder: URL) throws -> Benchmark {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "json" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
    return Benchmark("JSON: files") {
        let peers = JSONPeers()
        return try files.flatMap { file -> [[Contender]] in
            let data = try Data(contentsOf: file)
            let name = file.lastPathComponent
            let whole = [try everyValue(name, data, peers: peers), try writing(name, data)]
            switch name {
            case "twitter.json":
                return [parsing(name, data, peers, goal: 48), decoding(Tweets.self, name, data, goal: 6)]
                    + whole
            case "citm_catalog.json":
                return [parsing(name, data, peers, goal: 60), decoding(Catalogue.self, name, data, goal: 8)]
                    + whole
            default: return [parsing(name, data, peers)] + whole
            }
        }
    }
}

private func parsing(_ name: String, _ data: Data, _ peers: JSONPeers?, goal: Double? = nil) -> [Contender] {
    let contenders = [
        Contender("\(name): JSONSerialization") {
            blackHole(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
        },
        Contender("\(name): JSON(parsing:)", goal: goal.map { .atLeast($0) }) {
            blackHole(try JSON(parsing: data))
        },
    ]
    let others = peers?.parsing(data) ?? []
    return contenders + others.map { peer in Contender("\(name): \(peer.name)") { peer.parse() } }
}

private func decoding<Model: Decodable & SendableMetatype>(
    _ model: Model.Type, _ name: String, _ data: Data, goal: Double
) -> [Contender] {
    [
        Contender("\(name): JSONDecoder") { blackHole(try JSONDecoder().decode(Model.self, from: data)) },
        Contender("\(name): JSON(parsing:).decode", goal: .atLeast(goal)) {
            blackHole(try JSON(parsing: data).decode(Model.self))
        },
    ]
}

private struct Tweets: Decodable {
    var statuses: [Status]

    struct Status: Decodable {
        var metadata: Search.Metadata
        var created_at: String
        var id: Int
        var id_str: String
        var text: String
        var source: String
        var truncated: Bool
        var in_reply_to_status_id: Int?
        var in_reply_to_screen_name: String?
        var user: Search.User
        var retweet_count: Int
        var favorite_count: Int
        var entities: Entities
        var favorited: Bool
        var retweeted: Bool
        var lang: String
    }

    struct Entities: Decodable {
        var hashtags: [Tag]
        var urls: [Search.Link]
        var user_mentions: [Search.Mention]
    }

    struct Tag: Decodable {
        var text: String
        var indices: [Int]
    }
}
