import Foundation

/// Runs a closure that blocks on its own thread, and suspends the caller until it returns.
///
/// On Linux, the threads of Swift's pool are the threads of Dispatch's global queues. There are two on a
/// machine with two cores. Code that blocks in a test or on a global queue therefore delays every other test.
package func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

extension DispatchQueue {
    /// A serial queue whose blocks may wait. Unlike the blocks of a global queue, they have their own thread.
    package static var patient: DispatchQueue { DispatchQueue(label: "patient") }

    /// Suspends until everything that was added to this serial queue before has run.
    package func drained() async {
        await withCheckedContinuation { continuation in async { continuation.resume() } }
    }
}
