import Foundation

/// Runs what blocks on a thread of its own, and suspends the caller meanwhile.
///
/// On Linux the threads of Swift's pool are those of Dispatch's global queues, two on a machine with two cores:
/// what blocks in a test, or on a global queue, holds up every other test.
package func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

extension DispatchQueue {
    /// A serial queue, whose blocks may wait: unlike a global queue's they have a thread for themselves.
    package static var patient: DispatchQueue { DispatchQueue(label: "patient") }

    /// Suspends until everything that was put on this serial queue before has run.
    package func drained() async {
        await withCheckedContinuation { continuation in async { continuation.resume() } }
    }
}
