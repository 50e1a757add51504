import Foundation
import SwallowJSON
import Testing

@Suite("JSON: numbers against the standard library")
struct JSONNumberTorture {
    @Test("A Double's every spelling reads as the standard library reads it")
    func doubles() throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<200_000 {
            let text = Self.number(round, &generator)
            let expected = Double(text).flatMap { $0.isFinite ? $0 : nil }
            let json = try JSON(parsing: text)
            #expect(json.double?.bitPattern == expected?.bitPattern, "\(text)")
            if let float = Float(text), float.isFinite {
                #expect(try json.decode(Float.self).bitPattern == float.bitPattern, "\(text)")
            }
        }
    }

    @Test("A Decimal's every spelling reads as Foundation reads it")
    func decimals() throws {
        var generator = SystemRandomNumberGenerator()
        for round in 0..<20_000 {
            let text = Self.number(round, &generator)
            guard let expected = Decimal(string: text) else { continue }
            let decimal = try JSON(parsing: text).decimal
            #expect(decimal == expected, "\(text)")
            #expect(decimal?.description == expected.description, "\(text)")
        }
    }

    /// Random bits, ties between two neighbours, and random digits.
    private static func number(_ round: Int, _ generator: inout SystemRandomNumberGenerator) -> String {
        let bits = Double(bitPattern: generator.next())
        let value = bits.isFinite ? bits : 0.5
        switch round % 5 {
        case 0: return value.description
        case 1: return String(format: "%.\(Int.random(in: 0...20))e", value)
        case 2:
            let near = Double.random(in: -1e6...1e6)
            return String(format: "%.\(Int.random(in: 1...25))f", near)
        case 3:
            let odd = (UInt64.random(in: 1 << 52..<1 << 53) << 1) | 1
            return "\(odd)e\(Int.random(in: -5...5))"
        default: return "\(UInt64.random(in: 0...UInt64.max))e\(Int.random(in: -345...310))"
        }
    }
}
