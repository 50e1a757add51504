import Foundation
import SwallowJSON
import TestSupport
import Testing

/// Decoding straight from the document, held against `JSONDecoder`: the same value, or the same kind of error
/// at the same path.
@Suite("JSON: decoding as JSONDecoder does")
struct JSONDecodingTests {
    @Test("Scalars of every type decode or fail as by JSONDecoder", arguments: Samples.scalars)
    func scalars(_ text: String) {
        let wrapped = #"{"value":\#(text)}"#
        for (plain, boxed, list) in Samples.scalarTypes {
            plain(text)
            boxed(wrapped)
            list("[\(text),\(text)]")
        }
    }

    @Test(
        "Models of every shape, whole and broken, decode or fail as by JSONDecoder",
        arguments: Samples.modelDocuments)
    func models(_ text: String) {
        for compare in Samples.models { compare(text) }
    }

    @Test(
        "Every document with one value replaced by another decodes or fails as by JSONDecoder",
        arguments: 0..<Samples.modelDocuments.count)
    func mutations(_ index: Int) {
        let text = Samples.modelDocuments[index]
        // All of them took a sanitizer half a minute, and no thread has a part in them.
        let mutations = Samples.mutations(of: text)
        for number in stride(from: 0, to: mutations.count, by: Sanitizer.isThere ? 10 : 1) {
            for compare in Samples.models { compare(mutations[number]) }
        }
    }

    @Test("A number next to zero is the nearest one, where JSONDecoder refuses it; and no whole number")
    func tinyNumbers() throws {
        #expect(try JSON(parsing: "1e-400").decode(Double.self) == 0)
        #expect(try JSON(parsing: "5e-324").decode(Double.self) == .leastNonzeroMagnitude)
        #expect(try JSON(parsing: "1e-46").decode(Float.self) == 0)
        #expect(throws: DecodingError.self) { try JSON(parsing: "1e-400").decode(Int.self) }
    }

    @Test("A number out of range names its place")
    func pathOfNumbers() {
        let message = outcome { try (["value": [1, 300]] as JSON).decode(Box<[Int8]>.self) }
        #expect(message == "dataCorrupted .value.Index 1")
    }

    @Test("Whitespace is nothing")
    func whitespace() throws {
        let text = "  { \"value\" :\r\n\t[ 1 , 2 ]   }  "
        #expect(try JSON(parsing: text).decode(Box<[Int]>.self).value == [1, 2])
    }
}
