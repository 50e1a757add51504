import Foundation

/// Where and when figures were measured, in the words of a chart's caption.
struct Circumstances: Codable, Equatable {
    /// The processors' name, and how many of them there are.
    let machine: String
    /// "Linux x86-64", say.
    let system: String
    let swift: String
    /// The curl program's version; nil where there is none.
    let curl: String?
    /// Year, month and day.
    let date: String

    static var current: Self {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        return Circumstances(
            machine:
                "\(processorName ?? "unknown processor"), \(processors) \(processors == 1 ? "core" : "cores")",
            system: system,
            swift: version("swift") ?? "Swift",
            curl: version("curl"),
            date: Date().formatted(.iso8601.year().month().day()))
    }

    private static var system: String {
        #if os(Linux)
            let name = "Linux"
        #elseif os(macOS)
            let name = "macOS"
        #else
            let name = "unknown system"
        #endif
        #if arch(x86_64)
            return "\(name), x86-64"
        #elseif arch(arm64)
            return "\(name), arm64"
        #else
            return name
        #endif
    }

    private static var processorName: String? {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }

    /// The name and number that a program gives itself at `--version`: "Swift 6.3.1", "curl 7.88.1".
    private static func version(_ program: String) -> String? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program, "--version"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let match = text.firstMatch(of: /(Swift|curl)(?: version)? (\d+(?:\.\d+)+)/)
        return match.map { "\($0.1) \($0.2)" }
    }
}
