#if os(Linux) && canImport(Glibc)
    import Dispatch
    import Foundation
    import Swallow

    /// Measures the memory that a body takes after its reader has read one part and doesn't request the next.
    enum UnreadBody {
        /// Returns the growth of the process's memory at its peak in KiB, or an error's text.
        ///
        /// - Parameter other: The URL of a short response. The data source receives it several times while the body
        ///   waits.
        static func measure(_ url: String, other: String) -> String {
            let (result, isDone) = (Lock(""), DispatchSemaphore(value: 0))
            Task {
                let text: String
                do { text = try await read(url, other: other) } catch { text = "\(error)" }
                result.withLock { $0 = text }
                isDone.signal()
            }
            isDone.wait()
            return result.withLock { $0 }
        }

        private static func read(_ url: String, other: String) async throws -> String {
            var service = WebService(baseURLString: url, dataSource: CurlDataSource())
            for _ in 0..<5 { _ = try await service.GET("\(raw: other)").data }
            let before = memory("VmRSS:")
            // Before a body has a reader, the task receives as much of it as fits into memory.
            service.startTasksImmediately = false
            let task = service.GET("")
            var parts = task.body.makeAsyncIterator()
            guard try await parts.next()?.allSatisfy({ $0 == 0 }) == true else { return "no zeros" }
            service.startTasksImmediately = true
            for _ in 0..<5 { _ = try await service.GET("\(raw: other)").data }
            let growth = memory("VmHWM:") - before
            task.cancel()
            return "\(growth)"
        }

        /// A value from `/proc/self/status` in KiB.
        private static func memory(_ name: String) -> Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
    }
#endif
