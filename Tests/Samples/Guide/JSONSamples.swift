import Foundation
import SwallowJSON
import Testing

/// The samples of the page about JSON without HTTP.
@Suite("JSON without HTTP")
struct JSONSamples {
    struct Book: Codable, Equatable, Sendable {
        let title: String
        let pages: Int
    }

    struct Shelf: Equatable, Sendable {
        let room: String
        let books: [Book]
    }

    private let data = Data(
        #"""
        {"shelves": [{"room": "hall", "books": [{"title": "Emma", "pages": 474}, {"title": "Persuasion", "pages": 249}]}]}
        """#.utf8)

    @Test("is read by paths")
    func paths() throws {
        let json = try JSON(parsing: data)
        let title = json["shelves"][0]["books"][1]["title"].string
        let pages = json["shelves"].elements.flatMap { $0["books"].elements }.compactMap { $0["pages"].int }
        #expect(title == "Persuasion" && pages == [474, 249])

        switch json["shelves"].kind {
        case .array: print("\(json["shelves"].count) shelves")
        case .missing: print("no shelves")
        default: print("the shelves aren't an array")
        }
    }

    @Test("becomes types")
    func types() throws {
        let json = try JSON(parsing: data)
        let books = try json["shelves"][0]["books"].decode([Book].self)
        #expect(books.map(\.title) == ["Emma", "Persuasion"])
    }

    @Test("that doesn't fit says where")
    func decodings() throws {
        let text = String(decoding: self.data, as: UTF8.self).replacing("249", with: "\"many\"")
        let data = Data(text.utf8)
        var failed = ""
        func print(_ value: Any) { failed = "\(value)" }

        let shelf = Decoding(
            Shelf.init,
            .required("room", .string),
            .optional("books", .array(.codable), default: []))
        do {
            let shelves = try Decoding.at(["shelves"], .array(shelf)).value(from: data)
            print(shelves.count)
        } catch {
            print(error)  // $.shelves[0].books[1].pages: expected integer, found string
        }

        #expect(failed == "$.shelves[0].books[1].pages: expected integer, found string")
    }

    @Test("is written")
    func writing() throws {
        let room = "hall"
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }

        let entry: JSON = ["title": "Emma", "tags": ["novel", 1815, nil]]
        let shelf = JSON.object([("room", .string(room)), ("books", .array([entry]))])
        try shelf.data.write(to: file)

        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == #"{"room":"hall","books":[{"title":"Emma","tags":["novel",1815,null]}]}"#)
    }

    @Test("is RFC 8259, and says where it isn't")
    func errors() {
        var said = ""
        func print(_ value: Any) { said = "\(value)" }

        do {
            _ = try JSON(parsing: #"{"a": 1,}"#)
        } catch {
            print(error)  // line 1, column 9 (byte 8): expected a member's name in double quotes, found "}"
        }

        #expect(said == "line 1, column 9 (byte 8): expected a member's name in double quotes, found \"}\"")
    }
}
