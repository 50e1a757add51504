import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Writes to a disk cache until it is killed, a byte to standard output after each write.
///
/// The arguments are the folder, the number of keys, the size limit, and a number to begin with. A body tells its own
/// key and generation, so that whoever reads it can see whether it is whole.
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
