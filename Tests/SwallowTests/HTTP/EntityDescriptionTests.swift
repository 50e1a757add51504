import Foundation
import Swallow
import Testing

@Suite("Entities in words")
struct EntityDescriptionTests {
    @Test("An entity prints its type, media type and content, long content cut")
    func entities() {
        #expect(
            "\(Entity<JSON>(content: ["a": 1], contentType: "application/json"))"
                == #"Entity<JSON>(application/json, {"a":1})"#)
        #expect("\(Entity(content: Data(count: 2048)))" == "Entity<Data>(2048 bytes)")
        #expect("\(Entity(content: String(repeating: "x", count: 500)))".count < 250)
    }
}
