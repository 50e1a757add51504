import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The work of a ``ManagedDataTask``.
///
/// The task calls `start(inParts:)`, `deliverParts()`, `suspend()`, `resume()` and `cancel()` one at a time and outside
/// all locks. The operation passes the response to the task's ``DataTaskOutput``. It must not keep the task itself
/// alive.
package protocol DataTaskOperation: Sendable {
    /// Starts. Called once, before all other functions except `cancel()`.
    ///
    /// - Parameter inParts: Whether the body is wanted in parts. Otherwise it may arrive with the ending.
    func start(inParts: Bool)
    /// The body is wanted in parts from now on. Does nothing by default.
    func deliverParts()
    /// Pauses. Does nothing by default: the output keeps the response until the task is resumed.
    func suspend()
    func resume()
    /// Stops, because the task was cancelled before it completed. Nothing follows. Does nothing by default.
    func cancel()
    /// The progress, and after the end the metrics and trailers. Unknown by default.
    var facts: TransferFacts { get }
}

extension DataTaskOperation {
    package func deliverParts() {}
    package func suspend() {}
    package func resume() {}
    package func cancel() {}
    package var facts: TransferFacts { TransferFacts() }
}

/// A data task whose work is done by an operation: an exchange, a stub's script, a recording, a request
/// that several tasks share.
///
/// This class and its ``DataTaskOutput`` implement the contract of ``DataTask``.
package final class ManagedDataTask: DataTask {
    private let output: DataTaskOutput
    private let operation: any DataTaskOperation

    /// - Parameter makeOperation: Returns the operation, which passes the response to the given output.
    package convenience init(
        _ completion: @escaping PartQueue.Completion,
        _ makeOperation: (DataTaskOutput) -> any DataTaskOperation
    ) {
        let output = DataTaskOutput(completion)
        self.init(output, makeOperation(output))
    }

    package init(_ output: DataTaskOutput, _ operation: any DataTaskOperation) {
        (self.output, self.operation) = (output, operation)
    }

    package func resume() { make(output.resume()) }
    package func suspend() { make(output.suspend()) }
    package func cancel() { make(output.cancel()) }
    package func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        make(output.stream(to: receiver))
    }

    var facts: TransferFacts { operation.facts }
    package var transferProgress: TransferProgress { facts.progress }
    package var transferMetrics: TransferMetrics? { facts.metrics }
    package var trailers: Headers { facts.trailers }

    /// Makes a call to the operation, and the calls that follow from it.
    private func make(_ first: DataTaskCalls.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .start(let inParts): operation.start(inParts: inParts)
            case .deliverParts: operation.deliverParts()
            case .suspend: operation.suspend()
            case .resume: operation.resume()
            case .cancel: operation.cancel()
            }
            next = output.nextCall()
        }
    }
}

/// Completes a task as soon as it is resumed.
package struct CompletionOperation: DataTaskOperation {
    private let ending: Ending
    private let output: DataTaskOutput

    package init(_ ending: Ending, _ output: DataTaskOutput) {
        (self.ending, self.output) = (ending, output)
    }

    package func start(inParts: Bool) { output.receive(ending) }
}
