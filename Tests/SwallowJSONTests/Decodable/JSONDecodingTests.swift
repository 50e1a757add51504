import Foundation
import SwallowJSON
import TestSupport
import Testing

/// Compares decoding straight from the document with `JSONDecoder`. Both must have the same value, or the
/// same kind of error at the same path.
@Suite("JSON: decoding compared with JSONDecoder")
struct JSONDecodingTests {
    @Test("Scalars of every type decode or fail as in JSONDecoder", arguments: Samples.scalars)
    func scalars(_ text: String) {
        let wrapped = #"{"value":\#(text)}"#
        for (plain, boxed, list) in Samples.scalarTypes {
            plain(text)
            boxed(wrapped)
            list("[\(text),\(text)]")
        }
    }

    @Test(
        "Models decode or fail as in JSONDecoder for valid and invalid documents",
        arguments: Samples.modelDocuments)
    func models(_ text: String) {
        for compare in Samples.models { compare(text) }
    }

    @Test(
        "Documents with one replaced value decode or fail as in JSONDecoder",
        arguments: 0..<Samples.modelDocuments.count)
    func mutations(_ index: Int) {
        let text = Samples.modelDocuments[index]
        // Under a sanitizer, only every tenth mutation is tested. All of them took half a minute, and no threads are
        // involved.
        let mutations = Samples.mutations(of: text)
        for number in stride(from: 0, to: mutations.count, by: Sanitizer.isThere ? 10 : 1) {
            for compare in Samples.models { compare(mutations[number]) }
        }
    }

    @Test("A number close to zero decodes as the nearest Double, but not as an Int")
    func tinyNumbers() throws {
        #expect(try JSON(parsing: "1e-400").decode(Double.self) == 0)
        #expect(try JSON(parsing: "5e-324").decode(Double.self) == .leastNonzeroMagnitude)
        #expect(try JSON(parsing: "1e-46").decode(Float.self) == 0)
        #expect(throws: DecodingError.self) { try JSON(parsing: "1e-400").decode(Int.self) }
    }

    @Test("The error of a number out of range has its path")
    func pathOfNumbers() {
        let message = outcome { try (["value": [1, 300]] as JSON).decode(Box<[Int8]>.self) }
        #expect(message == "dataCorrupted .value.Index 1")
    }

    @Test("Whitespace between values is ignored")
    func whitespace() throws {
        let text = "  { \"value\" :\r\n\t[ 1 , 2 ]   }  "
        #expect(try JSON(parsing: text).decode(Box<[Int]>.self).value == [1, 2])
    }
}
