import AllocationCounter
import Foundation
import Swallow

/// The memory that parsing adds to the process at its peak, as a multiple of the input's size. Each document is
/// repeated up to 50 MB, so that the process's other memory hardly matters.
let jsonMemory = Benchmark("JSON: peak memory of parsing") { () -> [Row] in
    try JSONCorpus.all.flatMap { corpus in
        var data = Data("[".utf8)
        while data.count < 50_000_000 { data += corpus.data + Data(",".utf8) }
        data += Data("0]".utf8)
        let own = try peak(of: data) {
            if try JSON(parsing: data).count < 2 { fail("a repeated document was parsed incorrectly") }
        }
        let rival = try peak(of: data) { blackHole(try JSONSerialization.jsonObject(with: data)) }
        return [
            Row("\(corpus.name), 50 MB of it: JSON(parsing:)", result: own, goal: .result(2.5)),
            Row("\(corpus.name), 50 MB of it: JSONSerialization", result: rival),
        ]
    }
}

private func peak(of text: Data, _ parse: () throws -> Void) rethrows -> Figure {
    // Otherwise parsing could reuse free memory of an earlier document, and the result would be too low.
    allocation_counter_trim()
    guard let before = resetPeakMemory() else { return .notAvailable }
    try parse()
    return peakMemory.map { .ratio(Double($0 - before) / Double(text.count)) } ?? .notAvailable
}

/// Resets the process's peak memory to its current memory, and returns it in bytes. Returns `nil` if the system can't
/// reset the peak.
private func resetPeakMemory() -> Int? {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return nil }
    // As proc(5) specifies, writing 5 resets the peak resident size.
    guard (try? file.write(contentsOf: Data("5".utf8))) != nil else { return nil }
    return peakMemory
}

/// The largest resident size of the process in bytes, or `nil` if the system doesn't report it.
private var peakMemory: Int? {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 }
}
