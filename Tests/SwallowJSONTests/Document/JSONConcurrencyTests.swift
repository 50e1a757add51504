import Foundation
import SwallowJSON
import Testing

@Suite("JSON: concurrent readers")
struct JSONConcurrencyTests {
    @Test("Many tasks read, decode and let go of one document at once")
    func readers() async throws {
        let text = Samples.modelDocuments[0]
        let expected = try JSON(parsing: text)
        await withTaskGroup(of: Bool.self) { group in
            let json = expected
            for _ in 0..<64 {
                group.addTask {
                    let person = try? json.decode(Person.self)
                    return json["friends"][0]["id"].int == 2 && json.description == text
                        && person?.address?.street == "s" && json.members.count == 10
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
