import Foundation
import Swallow
import SwallowTesting

/// Transfers bodies of any size for the scripts in `.ci`.
///
///     DownloadProbe get URL FILE [resumes]    downloads to a file
///     DownloadProbe put URL FILE              uploads a file
///     DownloadProbe lines URL                 reads the body line by line
///     DownloadProbe events SECONDS RATE       reads RATE server-sent events per second from its own server
///     DownloadProbe kills COUNT [SEED]        kills COUNT downloads, and checks the files that they leave
///
/// The first four commands print the number of bytes or events, the time in seconds, and the peak memory in KiB.
@main
enum DownloadProbe {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "get" where arguments.count >= 3:
            await get(
                arguments[1], URL(fileURLWithPath: arguments[2]), resumes: arguments.contains("resumes"))
        case "put" where arguments.count == 3:
            await put(arguments[1], URL(fileURLWithPath: arguments[2]))
        case "lines" where arguments.count == 2: await lines(arguments[1])
        case "events" where arguments.count == 3:
            await events(seconds: Int(arguments[1]) ?? 0, rate: Int(arguments[2]) ?? 0)
        case "kills" where arguments.count >= 2:
            let seed = arguments.count > 2 ? UInt64(arguments[2]) : nil
            await kills(Int(arguments[1]) ?? 0, seed: seed ?? .random(in: .min ... .max))
        default:
            fail(
                "usage: DownloadProbe get URL FILE [resumes] | put URL FILE | lines URL | events SECONDS RATE | kills COUNT [SEED]"
            )
        }
    }

    static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("DownloadProbe: \(text)\n".utf8))
        exit(1)
    }

    private static func get(_ url: String, _ target: URL, resumes: Bool) async {
        let service = WebService(baseURLString: url)
        await measure {
            _ = try await service.GET("", options: [.download(to: target, resumes: resumes)])
                .content(as: URL.self)
            return try size(of: target)
        }
    }

    private static func put(_ url: String, _ file: URL) async {
        let service = WebService(baseURLString: url)
        await measure {
            _ = try await service.PUT("", options: [.body(file: file)]).data
            return try size(of: file)
        }
    }

    private static func lines(_ url: String) async {
        var service = WebService(baseURLString: url)
        // Otherwise a large part of the body might arrive before `lines` starts to read.
        service.startTasksImmediately = false
        await measure { [service] in
            var count = 0
            for try await line in service.GET("").lines { count += line.utf8.count + 1 }
            return count
        }
    }

    /// Sends a batch for 0.1 s every 0.09 s, because sleeps last longer than requested.
    private static func events(seconds: Int, rate: Int) async {
        let event = "id: 4711\nevent: tick\ndata: {\"price\": 12.5, \"name\": \"a share of something\"}\n\n"
        let batch = Data(String(repeating: event, count: rate / 10).utf8)
        await measure {
            let server = try await TestServer(
                .chunks(
                    Array(repeating: batch, count: 10 * seconds), contentType: "text/event-stream",
                    every: .milliseconds(90)))
            var (count, early) = (0, 0)
            for try await event in WebService(baseURL: server.url).GET("/").events {
                if event.event != "tick" || event.id != "4711" { fail("got \(event)") }
                count += 1
                if count == 5 * rate { early = peakMemory }
            }
            if count != batch.count / event.utf8.count * 10 * seconds { fail("only \(count) events arrived") }
            if early > 0 { print("after five seconds:", early) }
            return count
        }
    }

    /// Prints the number that `work` returns, the time that it takes, and the process's peak memory.
    private static func measure(_ work: () async throws -> Int) async {
        let start = ContinuousClock.now
        do {
            let size = try await work()
            let time = ContinuousClock.now - start
            let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
            print(size, String(format: "%.3f", seconds), peakMemory)
        } catch {
            fail("\(error)")
        }
    }

    private static func size(of file: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
    }

    /// The peak resident memory in KiB, or 0 if the system doesn't report it.
    private static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
