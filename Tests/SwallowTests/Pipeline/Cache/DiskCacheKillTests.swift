#if os(macOS) || os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import Swallow

    struct DiskCacheKillTests {
        /// The number of kills. A hundred of them take about three seconds.
        private static let kills = Sanitizer.rounds(100, sanitized: 30)
        private static let keys = 8
        private static let sizeLimit = 900_000

        @Test("However often a writer is killed while it writes, every entry is whole or absent")
        func kills() async throws {
            let executable = try #require(
                ChildProcess.executable("CacheWriter"), "CacheWriter isn't beside the tests")
            let folder = TemporaryFolder()
            var whole = 0
            var generation = 0
            for kill in 1...Self.kills {
                let writes = Int.random(in: 1...12)
                let arguments = [folder.url.path, "\(Self.keys)", "\(Self.sizeLimit)", "\(generation)"]
                try await killed(executable, arguments, after: writes)
                generation += 1000
                whole += try check(DiskCache(folder: folder.url, sizeLimit: Self.sizeLimit), "kill \(kill)")
            }
            #expect(whole > Self.kills)
            try DiskCache(folder: folder.url, sizeLimit: Self.sizeLimit).write(cached(), for: "last")
            #expect(folder.names.allSatisfy { $0.hasSuffix(".swallow") })
            #expect(folder.sizes.reduce(0, +) <= Self.sizeLimit)
        }

        /// Returns the number of stored responses. Each must repeat one line of its key until its end.
        private func check(_ cache: DiskCache, _ comment: Comment) throws -> Int {
            var count = 0
            for key in (0..<Self.keys).map({ "key \($0)" }) {
                guard let response = cache.read(key) else { continue }
                count += 1
                let end = try #require(response.data.firstIndex(of: UInt8(ascii: "\n")), comment)
                let line = response.data[...end]
                #expect(line.starts(with: Data("\(key), generation ".utf8)), comment)
                #expect(response.data.count % line.count == 0, comment)
                #expect(response.data.dropFirst(line.count) == response.data.dropLast(line.count), comment)
            }
            return count
        }

        /// Runs a writer, and kills it after a number of writes, during the next one.
        private func killed(
            _ executable: URL, _ arguments: [String], after writes: Int
        ) async throws {
            let process = try ChildProcess(executable, arguments)
            try await Self.bytes(writes, of: process.output)
            process.kill()
            #expect(try await process.status() == -SIGKILL)
        }

        /// Waits until `count` bytes were read. Fails if the writer ends before.
        private static func bytes(_ count: Int, of file: FileHandle) async throws {
            let received = try await onThread {
                var received = 0
                while received < count, case let data = file.availableData, !data.isEmpty {
                    received += data.count
                }
                return received
            }
            try #require(received >= count, "the writer ended on its own")
        }
    }
#endif
