#if os(Linux) && canImport(Glibc)
    import Dispatch
    import Foundation
    import Swallow

    /// Measures how much memory a body takes while its reader has read one part and waits.
    enum UnreadBody {
        /// Returns by how many KB the process's memory grew at most, or an error's text.
        ///
        /// - Parameter other: The URL of a short response. The data source has its turns while it is received.
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
            // Before a body has a reader, as much of it is received as fits into memory.
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

        /// A figure of the process in KB.
        private static func memory(_ name: String) -> Int {
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
        }
    }
#endif
