import Foundation
import SwallowJSON
import Testing

/// A container or a decoder that outlives its value still reads the record for which it was created.
@Suite("JSON: containers and decoders that outlive their values")
struct JSONStoredContainersTests {
    private enum Keys: CodingKey { case id, inner }

    private struct Lazy: Decodable {
        let container: KeyedDecodingContainer<Keys>
        let decoder: any Decoder
        let inner: KeyedDecodingContainer<Keys>

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            container = try decoder.container(keyedBy: Keys.self)
            inner = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        }
    }

    private static let text =
        "[" + (0..<50).map { #"{"id":\#($0),"inner":{"id":\#($0 + 100)}}"# }.joined(separator: ",") + "]"

    @Test("Containers and decoders that outlive their values read their own records")
    func containers() throws {
        let records = try JSON(parsing: Self.text).decode([Lazy].self)
        for (index, record) in records.enumerated() {
            #expect(try record.container.decode(Int.self, forKey: .id) == index)
            #expect(try record.inner.decode(Int.self, forKey: .id) == index + 100)
            let again = try record.decoder.container(keyedBy: Keys.self)
            #expect(try again.decode(Int.self, forKey: .id) == index)
            #expect(again.codingPath.map(\.stringValue) == ["Index \(index)"])
            #expect(try Lazy(from: record.decoder).inner.decode(Int.self, forKey: .id) == index + 100)
        }
    }

    // Unchecked, because only one thread uses it.
    private final class Shelf: @unchecked Sendable {
        var decoder: (any Decoder)?
        var containers: [KeyedDecodingContainer<Keys>] = []
        var isReading = false
    }

    private struct Shelved: Decodable {
        static let shelf = CodingUserInfoKey(rawValue: "shelf")!
        let id: Int

        init(from decoder: any Decoder) throws {
            let shelf = decoder.userInfo[Self.shelf] as? Shelf
            shelf?.decoder = shelf?.decoder ?? decoder
            id = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id)
        }
    }

    @Test("A key strategy that reads another record doesn't disturb the decoding")
    func strategy() throws {
        let shelf = Shelf()
        var options = JSON.DecodingOptions()
        options.userInfo[Shelved.shelf] = shelf
        options.keyDecodingStrategy = .custom { path in
            if let decoder = shelf.decoder, !shelf.isReading {
                shelf.isReading = true
                for _ in 0..<2 {
                    if let container = try? decoder.container(keyedBy: Keys.self) {
                        shelf.containers.append(container)
                    }
                }
                shelf.isReading = false
            }
            return path[path.count - 1]
        }
        let records = try JSON(parsing: Self.text).decode([Shelved].self, options: options)
        #expect(records.map(\.id) == Array(0..<50))
        #expect(shelf.containers.count > 100)
        for container in shelf.containers { #expect(try container.decode(Int.self, forKey: .id) == 0) }
    }

    private final class Witness: Sendable {}

    private struct Plain: Decodable {
        var id: Int
        var inner: Inner
        struct Inner: Decodable { var id: Int }
    }

    @Test("Values, containers and errors release all memory of the decoding")
    func noLeaks() throws {
        weak var seen: Witness?
        func read<Value: Decodable>(_ type: Value.Type, _ text: String, _ use: (Value?) -> Void) throws {
            let witness = Witness()
            seen = witness
            var options = JSON.DecodingOptions()
            options.userInfo[try #require(CodingUserInfoKey(rawValue: "witness"))] = witness
            use(try? JSON(parsing: text).decode(type, options: options))
        }
        try read([Plain].self, Self.text) { #expect($0?.count == 50) }
        #expect(seen == nil)
        try read([Plain].self, Self.text.replacing("149", with: "true")) { #expect($0 == nil) }
        #expect(seen == nil)
        try read([Lazy].self, Self.text) { records in
            #expect(seen != nil)
            for record in records ?? [] { #expect((try? Lazy(from: record.decoder)) != nil) }
        }
        #expect(seen == nil)
    }

    @Test("Concurrent tasks can decode the same document as several models")
    func threads() async throws {
        let json = try JSON(parsing: Self.text)
        let sums = await withTaskGroup(of: Int.self) { group in
            for task in 0..<32 {
                group.addTask {
                    if task % 2 == 0 {
                        return (try? json.decode([Plain].self))?.reduce(0) { $0 + $1.id + $1.inner.id } ?? -1
                    }
                    let records = (try? json.decode([Lazy].self)) ?? []
                    return records.reduce(0) { sum, record in
                        let id = (try? record.container.decode(Int.self, forKey: .id)) ?? -1
                        return sum + id + ((try? record.inner.decode(Int.self, forKey: .id)) ?? -1)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 2 * (0..<50).reduce(0, +) + 5000, count: 32))
    }
}
