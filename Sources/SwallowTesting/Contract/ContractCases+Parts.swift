import Foundation
import Swallow

/// A data source that delivers no parts can also pass these cases.
extension DataSourceContract {
    static let partCases: [Case] = [
        Case(
            "Parts in order",
            "The head is the first part. The parts and the completion's data have each byte once, in order."
        ) { run in
            let delivers = try await run.deliversParts()
            let call = try await run.call("/held/parts").streaming().resumed()
            var size = 1
            for part in ContractRoutes.parts {
                if delivers {
                    try await run.wait(for: call.received, size, otherwise: "a part wasn't delivered")
                }
                run.routes.partGate.open(next: 1)
                size += part.count
            }
            try await run.expectWholeBody(call)
            try run.expect(!delivers || call.head?.statusCode == 200, "the head wasn't delivered")
            try run.expectNoViolation(call)
            let large = try await run.call("/large").streaming().resumed()
            try await run.expectWholeBody(large, ContractRoutes.largeBody)
            try run.expectNoViolation(large)
        },
        Case(
            "A late receiver",
            "A receiver that is set after resume() receives the bytes that had arrived before."
        ) { run in
            let call = try await run.call("/held/parts").resumed()
            run.routes.partGate.open(next: 2)
            try await run.settle()
            try await call.streaming()
            run.routes.openGates()
            try await run.expectWholeBody(call)
            try run.expectNoViolation(call)
        },
        Case("The first receiver", "Only the first receiver is called.") { run in
            let call = try await run.call("/parts").streaming()
            let others = Tally()
            try await call.stream { _ in others.add() }
            try await call.resume()
            try await run.expectWholeBody(call)
            try run.expect(others.count == 0, "the second receiver was called")
        },
        Case(
            "No part while suspended",
            "After suspend(), no call of the receiver and no completion begins until resume()."
        ) { run in
            let call = try await run.suspendedCall()
            try run.expect(
                call.partCount <= 1, "the receiver was called \(call.partCount - 1) times while suspended")
            try run.expect(
                call.completions.isEmpty || call.partCount == 0, "the completion was called while suspended")
            try await call.resume()
            try await run.expectWholeBody(call)
        },
        Case(
            "No part inside a function",
            "The receiver isn't called inside a call of resume(), suspend(), cancel() or stream(to:)."
        ) { run in
            for _ in 0..<5 {
                let call = try await run.suspendedCall()
                try await call.resume()
                _ = try await run.completion(of: call)
                let late = try await run.call("/parts").resumed()
                try await run.settle()
                _ = try await run.completion(of: late.streaming())
                for violation in call.violations + late.violations where violation.contains("inside") {
                    try run.expect(false, violation)
                }
            }
        },
        Case("No part after the completion", "The completion is the last call, and no calls overlap.") {
            run in
            for path in ["/parts", "/torn", "/large", "/empty"] {
                let call = try await run.call(path).streaming().resumed()
                _ = try await run.completion(of: call)
                try await run.settle()
                try run.expectNoViolation(call)
            }
        },
        Case(
            "An error after parts",
            "If the connection is lost during the body, the task completes with an error after the parts."
        ) { run in
            let call = try await run.call("/torn").streaming().resumed()
            try await run.expectCompletion(of: call) { $0.error != nil }
            try run.expect(
                ContractRoutes.parts[0].starts(with: call.streamed), "the parts don't match the body")
        },
        Case("The receiver is released", "The receiver is released at the completion.") { run in
            for isCancelled in [false, true] {
                let call = try await run.call("/parts")
                weak var released: Token?
                do {
                    let token = Token()
                    released = token
                    try await call.stream { _ in withExtendedLifetime(token) {} }
                }
                if isCancelled { try await call.cancel() } else { try await call.resume() }
                _ = try await run.completion(of: call)
                // The thread that called the completion may still retain the receiver for a moment.
                for _ in 0..<200 where released != nil { try await run.settle() }
                try run.expect(released == nil, "the receiver still exists after the completion")
            }
        },
    ]

    private final class Token: Sendable {}
}

extension ContractRun {
    /// Returns a call whose receiver suspends the task when it is first called. The gates are open.
    func suspendedCall() async throws -> ContractCall {
        let hasSuspended = Tally()
        let earlier = routes.arrivals.count
        let call = try await call("/held/parts") { call in
            guard hasSuspended.count == 0 else { return }
            call.suspendOnThisThread()
            hasSuspended.add()
        }
        let delivers = try await deliversParts()
        let startedEarly = routes.arrivals.count > earlier
        try await call.streaming().resume()
        if delivers {
            try await wait(
                for: hasSuspended, 1,
                otherwise: call.partCount > 0
                    ? "suspend() inside the receiver didn't return"
                    : (startedEarly ? "the request was sent before resume(), and " : "")
                        + "the head wasn't delivered")
        }
        routes.openGates()
        try await settle()
        return call
    }

    fileprivate func expectWholeBody(
        _ call: ContractCall, _ expected: Data = Data(ContractRoutes.parts.joined())
    ) async throws {
        try await expectCompletion(of: call) { $0.error == nil }
        let body = call.body
        let order = body.count == expected.count ? " in another order" : ""
        try expect(body == expected, "the body has \(body.count) of \(expected.count) bytes\(order)")
    }

    func expectNoViolation(_ call: ContractCall) throws {
        if let violation = call.violations.first { throw ContractViolation(observation: violation) }
    }
}
