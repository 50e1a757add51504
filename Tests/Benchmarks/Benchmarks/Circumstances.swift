import Foundation

/// Where and when the figures were measured. A chart's caption shows these texts.
struct Circumstances: Codable, Equatable {
    /// The processor's name and the number of active cores.
    let machine: String
    /// For example, "Linux, x86-64".
    let system: String
    let swift: String
    /// For example, "curl 7.88.1", or `nil` if curl isn't installed.
    let curl: String?
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

    /// Returns the name and version that a program prints for `--version`, for example "Swift 6.3.1" or "curl 7.88.1".
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
