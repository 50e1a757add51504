import Foundation

/// The work of a ``ManagedDataTask``, which makes one call at a time. Must not keep the task alive.
package protocol DataTaskOperation: Sendable {
    /// Called at most once, before `deliverParts()`, `suspend()` and `resume()`.
    func start(inParts: Bool)
    func deliverParts()
    /// Does nothing by default. The output then stores the response until the task is resumed.
    func suspend()
    func resume()
    /// Stops the work. Its later calls of the output have no effect. Does nothing by default.
    func cancel()
    var facts: TransferFacts { get }
}

extension DataTaskOperation {
    package func deliverParts() {}
    package func suspend() {}
    package func resume() {}
    package func cancel() {}
    package var facts: TransferFacts { TransferFacts() }
}

/// A data task whose work is done by an operation, for example a recording. Implements the contract of ``DataTask``.
package final class ManagedDataTask: DataTask {
    private let output: DataTaskOutput
    private let operation: any DataTaskOperation

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

    package func resume() { change { $0.resume() } }
    package func suspend() { change { $0.suspend() } }
    package func cancel() { change { $0.fail(with: URLError(.cancelled)) } }
    package func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        change { $0.stream(to: receiver) }
    }

    var facts: TransferFacts { operation.facts }
    package var transferProgress: TransferProgress { facts.progress }
    package var transferMetrics: TransferMetrics? { facts.metrics }
    package var trailers: Headers { facts.trailers }

    private func change(_ change: (inout PartQueue) -> Void) {
        var next = output.nextCall(after: change)
        while let call = next {
            switch call {
            case .start(let inParts): operation.start(inParts: inParts)
            case .deliverParts: operation.deliverParts()
            case .setPause(.none): operation.resume()
            case .setPause: operation.suspend()
            case .cancel: operation.cancel()
            }
            next = output.nextCall(afterCall: true)
        }
    }
}

package struct CompletionOperation: DataTaskOperation {
    private let result: DataTaskResult
    private let output: DataTaskOutput

    package init(_ result: DataTaskResult, _ output: DataTaskOutput) {
        (self.result, self.output) = (result, output)
    }

    package func start(inParts: Bool) { output.receive(result) }
}

package struct DataTaskResult: Sendable {
    package var data: Data?
    package var response: URLResponse?
    package var error: (any Error)?

    package init(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        (self.data, self.response, self.error) = (data, response, error)
    }

    package static func failure(_ error: any Error) -> DataTaskResult { DataTaskResult(nil, nil, error) }
}
