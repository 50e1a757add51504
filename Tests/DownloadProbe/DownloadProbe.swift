import Foundation
import LoopbackServer
import Swallow

/// Downloads, for the scripts in `.ci`: once, as fast as it goes, or again and again until it is killed.
///
///     DownloadProbe get URL FILE [resumes]    prints the bytes a second, and the peak of its memory
///     DownloadProbe kills COUNT [SEED]        kills as many downloads, and checks what they leave
@main
enum DownloadProbe {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "get" where arguments.count >= 3:
            await get(
                arguments[1], URL(fileURLWithPath: arguments[2]), resumes: arguments.contains("resumes"))
        case "kills" where arguments.count >= 2:
            let seed = arguments.count > 2 ? UInt64(arguments[2]) : nil
            await kills(Int(arguments[1]) ?? 0, seed: seed ?? .random(in: .min ... .max))
        default: fail("usage: DownloadProbe get URL FILE [resumes] | kills COUNT [SEED]")
        }
    }

    static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("DownloadProbe: \(text)\n".utf8))
        exit(1)
    }

    private static func get(_ url: String, _ target: URL, resumes: Bool) async {
        let service = WebService(baseURLString: url)
        let start = ContinuousClock.now
        do {
            _ = try await service.GET("", options: [.download(to: target, resumes: resumes)])
                .content(as: URL.self)
        } catch {
            fail("\(error)")
        }
        let time = ContinuousClock.now - start
        let size = (try? FileManager.default.attributesOfItem(atPath: target.path)[.size] as? Int) ?? 0
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
        print(size, String(format: "%.3f", seconds), peakMemory)
    }

    /// The most memory that was resident, in KB; 0 where the system doesn't tell.
    private static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
