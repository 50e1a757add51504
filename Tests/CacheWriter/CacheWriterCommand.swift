import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes to a disk cache until the process is killed, and prints a byte after each write.
///
/// The arguments are the folder, the number of keys, the size limit in bytes, and the first generation. Each line of a
/// body names its key and generation, so that a reader can see whether the body is complete.
@main
enum CacheWriterCommand {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let folder = arguments.first,
            let url = URL(string: "http://service.test"),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/plain"])
        else { return }
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        let cache = DiskCache(folder: URL(fileURLWithPath: folder), sizeLimit: numbers[1])
        var generation = numbers[2]
        while true {
            generation += 1
            let key = "key \(generation % numbers[0])"
            let size = generation &* 7919 % 200_000
            let line = "\(key), generation \(generation)\n"
            let body = String(repeating: line, count: 1 + size / line.utf8.count)
            cache.write(
                CachedResponse(response: response, data: Data(body.utf8), for: URLRequest(url: url)), for: key
            )
            if generation % 3 == 0 { cache.updateTimestamp(Date(), for: key) }
            if generation % 64 == 0 { cache.remove(key) }
            FileHandle.standardOutput.write(Data([UInt8(ascii: ".")]))
        }
    }
}
