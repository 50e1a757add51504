import Foundation
import Swallow

final class ChosenOperation: DataTaskOperation {
    private let choose: @Sendable () throws -> any DataTaskOperation
    private let output: DataTaskOutput
    /// `nil` before the start.
    private let chosen = Lock<(any DataTaskOperation)?>(nil)

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
