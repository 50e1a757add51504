import AllocationCounter
import Foundation
import Swallow

/// How much memory a process takes at most while it parses, beyond the input itself, as a multiple of the input.
/// The documents are repeated until what the process holds otherwise counts for nothing beside them.
let jsonMemory = Benchmark("JSON: peak memory of parsing") { () -> [Row] in
    try JSONCorpus.all.flatMap { corpus in
        var data = Data("[".utf8)
        while data.count < 50_000_000 { data += corpus.data + Data(",".utf8) }
        data += Data("0]".utf8)
        let own = try peak(of: data) {
            if try JSON(parsing: data).count < 2 { fail("a repeated document parsed wrongly") }
        }
        let rival = try peak(of: data) { blackHole(try JSONSerialization.jsonObject(with: data)) }
        return [
            Row("\(corpus.name), 50 MB of it: JSON(parsing:)", result: own, goal: .result(2.5)),
            Row("\(corpus.name), 50 MB of it: JSONSerialization", result: rival),
        ]
    }
}

/// What parsing takes at most, as a multiple of the text.
private func peak(of text: Data, _ parse: () throws -> Void) rethrows -> Figure {
    // What the heap keeps of an earlier document would be there already.
    allocation_counter_trim()
    guard let before = resetPeakMemory() else { return .notAvailable }
    try parse()
    return peakMemory.map { .ratio(Double($0 - before) / Double(text.count)) } ?? .notAvailable
}

/// The bytes of memory that the process has; from here on they are also its peak. Nil where the platform can't.
private func resetPeakMemory() -> Int? {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return nil }
    // proc(5): 5 sets the peak to what is resident now.
    guard (try? file.write(contentsOf: Data("5".utf8))) != nil else { return nil }
    return peakMemory
}

/// The most bytes of memory that the process had; nil where the platform doesn't tell.
private var peakMemory: Int? {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
}
