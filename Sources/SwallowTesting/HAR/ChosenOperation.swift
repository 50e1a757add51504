import Foundation
import Swallow

/// An operation that is chosen when the task starts.
final class ChosenOperation: DataTaskOperation {
    private let choose: @Sendable () throws -> any DataTaskOperation
    private let output: DataTaskOutput
    /// The chosen operation. `nil` before the start.
    private let chosen = Lock<(any DataTaskOperation)?>(nil)

    /// - Parameter choose: Returns the operation. If it throws, the task fails with the error.
    init(_ output: DataTaskOutput, _ choose: @escaping @Sendable () throws -> any DataTaskOperation) {
        (self.output, self.choose) = (output, choose)
    }

    func start(inParts: Bool) {
        do {
            let operation = try choose()
            chosen.withLock { $0 = operation }
            operation.start(inParts: inParts)
        } catch {
            output.receive(.failure(error))
        }
    }

    func deliverParts() { operation?.deliverParts() }
    func suspend() { operation?.suspend() }
    func resume() { operation?.resume() }
    func cancel() { operation?.cancel() }
    var facts: TransferFacts { operation?.facts ?? TransferFacts() }

    private var operation: (any DataTaskOperation)? { chosen.withLock { $0 } }
}
