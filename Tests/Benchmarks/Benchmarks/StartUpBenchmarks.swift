import Foundation
import Support
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The time from the start of `main` to the first response, and the process's peak memory.
///
/// The executable starts itself again for each measurement.
let startUp = Benchmark("start-up: the first GET of 2 KB") { () -> [Row] in
    let server = try ServerProcess()
    let url = server.baseURLString + "/bytes/2048"
    let rounds = try (0..<9).map { _ in try StartUp.Way.allCases.map { try StartUp.run($0, url) } }
    return StartUp.Way.allCases.enumerated().map { index, way in
        let runs = rounds.map { $0[index] }
        let cost = Cost(cpu: runs.map(\.cpu).median, wall: runs.map(\.wall).median)
        return Row(way.rawValue, cost: cost, result: .bytes(runs.map(\.memory).median))
    }
}

enum StartUp {
    static let argument = "--start-up"

    enum Way: String, CaseIterable {
        case none = "no request"
        case urlSession = "URLSession, completion handler"
        case curl = "CurlDataSource"
        case service = "WebService, await .data"
    }

    struct Figures {
        var cpu: Double
        var wall: Double
        var memory: Double
    }

    /// Runs a child process, and reads the figures that it prints.
    fileprivate static func run(_ way: Way, _ url: String) throws -> Figures {
        let (process, output) = (Process(), Pipe())
        process.executableURL = ServerProcess.executable
        process.arguments = [argument, way.rawValue, url]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 3 else { fail("\(way.rawValue) didn't start") }
        return Figures(cpu: numbers[0], wall: numbers[1], memory: numbers[2])
    }

    /// Performs the first request in the child process, and prints the figures.
    static func serve(_ arguments: [String], since start: ContinuousClock.Instant) {
        let cpu = processTime
        guard arguments.count == 2, let way = Way(rawValue: arguments[0]) else { fail("no such start") }
        let done = DispatchSemaphore(value: 0)
        let end: @Sendable (Data?) -> Void = { data in
            if data?.count != 2048 { fail("no first response") }
            done.signal()
        }
        let request = URLRequest(url: .made(of: arguments[1]))
        switch way {
        case .none: done.signal()
        case .urlSession: URLSession.shared.dataTask(with: request) { data, _, _ in end(data) }.resume()
        case .curl: curlDataSource?.dataTask(with: request) { data, _, _ in end(data) }.resume()
        case .service:
            let service = WebService(baseURLString: arguments[1])
            Task.detached { end(try? await service.GET("").data) }
        }
        done.wait()
        let wall = (ContinuousClock.now - start).seconds
        let memory = (processStatus("VmHWM") ?? 0) * 1024
        print((processTime - cpu) * 1e6, wall * 1e6, memory)
    }

    private static var curlDataSource: (any SessionDataTaskDataSource)? {
        #if os(Linux)
            CurlDataSource()
        #else
            nil
        #endif
    }
}

/// Returns a value from `/proc/self/status`, or `nil` on other systems. Sizes are in KiB.
func processStatus(_ name: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
}
