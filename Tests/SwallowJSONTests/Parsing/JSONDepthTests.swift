import Foundation
import SwallowJSON
import Testing

@Suite("JSON: nesting")
struct JSONDepthTests {
    @Test(
        "512 levels are parsed, and the 513th is rejected where it begins",
        arguments: [("[", "]"), (#"{"a":"#, "}")])
    func limit(_ opening: String, _ closing: String) throws {
        let document = { (depth: Int) in
            String(repeating: opening, count: depth - 1) + (opening == "[" ? "[]" : "{}")
                + String(repeating: closing, count: depth - 1)
        }
        _ = try JSON(parsing: document(512))
        let error = try #require(throws: JSONError.self) { try JSON(parsing: document(513)) }
        #expect(error.offset == 512 * opening.utf8.count)
        #expect(error.expected == "at most 512 levels of nesting")
    }

    @Test("Siblings don't count as depth")
    func neighbours() throws {
        let text = "[" + Array(repeating: "[[]]", count: 1000).joined(separator: ",") + "]"
        #expect(try JSON(parsing: text).count == 1000)
    }

    @Test("A million brackets fail without a stack overflow", arguments: ["[", #"{"a":"#, #"[{"a":"#])
    func bomb(_ opening: String) {
        #expect(throws: JSONError.self) {
            try JSON(parsing: String(repeating: opening, count: 1_000_000))
        }
    }

    @Test("A document of the greatest depth is parsed and released on a thread with 512 KB of stack")
    func readOnSmallStack() async {
        #expect(await onThread(stackSize: 512 * 1024) { try JSON(parsing: deepest)[0]["a"].exists })
    }

    @Test("A document of the greatest depth is written and built on a thread with 512 KB of stack")
    func writeOnSmallStack() async {
        let isSame = await onThread(stackSize: 512 * 1024) {
            let json = try JSON(parsing: deepest)
            let wrapped: JSON = ["wrapped": json[0]]
            let invalid: JSON = ["wrapped": json]
            _ = json.foundationObject
            return try json.description == deepest && json.data(sortedKeys: true) == json.data
                && JSON(parsing: json.prettyPrinted).description == deepest
                && wrapped.description == #"{"wrapped":"# + deepest.dropFirst().dropLast() + "}"
                && !invalid.exists
        }
        #expect(isSame)
    }

    @Test("A document of the greatest depth is compared, hashed and written on a thread with 2 MB of stack")
    func useOnSmallStack() async {
        let isSame = await onThread(stackSize: 2 * 1024 * 1024) {
            let json = try JSON(parsing: deepest)
            let copy = try JSON(parsing: json.prettyPrinted)
            _ = json.foundationObject
            return json == copy && json.hashValue == copy.hashValue
                && json.data(sortedKeys: true) == copy.data
        }
        #expect(isSame)
    }

    @Test("A built value has the same limit, and a deeper one is invalid without a stack overflow")
    func building() throws {
        let nested = { (levels: Int, wrap: (JSON) -> JSON) in
            (0..<levels).reduce(1 as JSON) { json, _ in wrap(json) }
        }
        for wrap in [{ [$0] }, { ["a": $0] }] as [(JSON) -> JSON] {
            let deepest = nested(512, wrap)
            #expect(try JSON(parsing: deepest.data) == deepest)
            let deep = nested(500, wrap)  // Foundation's own limit is a little lower than 512.
            #expect(try JSON(parsing: JSONEncoder().encode(deep)) == deep)
            for json in [nested(513, wrap), nested(10_000, wrap), [deepest, 1], ["a": 1, "b": deepest]] {
                #expect(json.description == "invalid: more than 512 levels of nesting")
                #expect(json.data.isEmpty && json.data(sortedKeys: true).isEmpty)
                #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
            }
        }
        let halves: JSON = [nested(500) { [$0] }, nested(511) { ["a": $0] }, 1]
        #expect(try JSON(parsing: halves.data) == halves)
    }

    @Test("A Foundation object that is nested too deep fails without a stack overflow")
    func foundation() {
        // Swift needs stack space to release nested objects, so there are only 2,000 levels.
        let object = (0..<2000).reduce(1 as Any) { object, _ in [object] }
        #expect(throws: EncodingError.self) { try JSON(foundationObject: object) }
    }

    private let deepest =
        String(repeating: #"[{"a":"#, count: 256) + "1" + String(repeating: "}]", count: 256)

    private func onThread(stackSize: Int, _ body: @escaping @Sendable () throws -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: (try? body()) ?? false) }
            thread.stackSize = stackSize
            thread.start()
        }
    }
}
