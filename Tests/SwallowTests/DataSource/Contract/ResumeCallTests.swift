import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An adapter over a data source whose tasks deliver the parts that the test sends.
enum PartsAdapter: CaseIterable, Sendable {
    case coalescing, intercepting, degraded, recording

    func source(over base: PartsDataSource, _ folder: TemporaryFolder) -> any SessionDataTaskDataSource {
        switch self {
        case .coalescing: base.coalescing()
        case .intercepting: base.intercepting { try await $1($0) }
        case .degraded: base.degraded()
        case .recording: base.recording(to: folder.file("a.har"))
        }
    }
}

@Suite("What is held comes outside of resume()")
struct ResumeCallTests {
    private let base = PartsDataSource()
    private let folder = TemporaryFolder()
    private let parts = Recorder<Bool>()

    /// Whether the current code runs inside a call of `resume()`.
    @TaskLocal private static var isResuming = false

    @Test(
        "A part that came while the task was suspended isn't given inside its resume()",
        arguments: PartsAdapter.allCases)
    func held(adapter: PartsAdapter) async throws {
        let (source, parts) = (adapter.source(over: base, folder), parts)
        let task = source.dataTask(with: .to("http://h/a")) { _, _, _ in }
        task.stream { _ in parts.append(Self.isResuming) }
        task.resume()
        let sent = await base.tasks.first(1)[0]
        _ = await sent.calls.first(1)
        sent.give(head: 200)
        _ = await parts.first(1)
        for count in 2..<50 {
            task.suspend()
            sent.give("a")
            #expect(parts.values.count == count - 1)
            Self.$isResuming.withValue(true) { task.resume() }
            _ = await parts.first(count)
        }
        #expect(!parts.values.contains(true))
        sent.end(200)
    }
}
