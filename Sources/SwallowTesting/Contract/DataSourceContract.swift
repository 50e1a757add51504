import Foundation
import Swallow

/// Tests whether a data source keeps the promises that `SessionDataTaskDataSource` and `DataTask` document.
///
/// ```swift
/// @Test(arguments: DataSourceContract.cases)
/// func requestLogKeepsThePromise(_ contractCase: DataSourceContract.Case) async throws {
///     let dataSource = RequestLog(base: URLSessionDataSource()) { print($0) }
///     try await contractCase.run(over: dataSource)
/// }
/// ```
///
/// Each case tests one promise, and throws a ``BrokenPromise`` if it finds that your data source doesn't keep it.
public enum DataSourceContract {
    /// All cases, grouped by topic: start, response, suspension, cancellation, body parts and races.
    public static let cases =
        startCases + responseCases + suspensionCases + cancellationCases + partCases + raceCases

    /// One promise of a data source, with the test of this promise.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        /// A short name. Each case has a different one.
        public let name: String
        /// The text of the promise.
        public let promise: String
        private let check: @Sendable (ContractRun) async throws -> Void

        init(
            _ name: String, _ promise: String, check: @escaping @Sendable (ContractRun) async throws -> Void
        ) {
            (self.name, self.promise, self.check) = (name, promise, check)
        }

        /// The ``name``, which identifies the case in a test's output.
        public var id: String { name }
        /// The ``name`` of the case.
        public var description: String { name }
    }
}

/// The error of a case whose promise the data source doesn't keep.
public struct BrokenPromise: Error, CustomStringConvertible, LocalizedError {
    /// The ``DataSourceContract/Case/name`` of the case.
    public let name: String
    /// The text of the promise that the data source doesn't keep.
    public let promise: String
    /// A description of the data source's actual behavior.
    public let observation: String
    /// The name of the data source's type.
    public let dataSource: String

    /// One line with the data source, the promise and the observation.
    public var description: String {
        "\(dataSource) breaks the promise “\(name)”: \(promise) However, \(observation)."
    }

    /// The same text as the ``description``.
    public var errorDescription: String? { description }
}

extension DataSourceContract.Case {
    /// Runs the case over a data source that sends HTTP requests. The case starts and stops a server on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - dataSource: The data source, which several cases may use at the same time. It must send requests unchanged,
    ///     and deliver every response, whatever its status.
    ///   - limit: The maximum real time to wait for each step, for example a completion. Five minutes by default.
    /// - Throws: A ``BrokenPromise``, `POSIXError` if the server can't start, or `CancellationError`.
    public func run(
        over dataSource: any SessionDataTaskDataSource, within limit: Duration = .seconds(300)
    ) async throws {
        let routes = ContractRoutes()
        let server = try await routes.startServer()
        defer { server.stop() }
        try await run(
            ContractRun(dataSource, routes, baseURLString: server.url.absoluteString, limit: limit))
    }

    /// Runs the case over a data source adapter, without a network.
    ///
    /// ```swift
    /// try await contractCase.run { base in RequestLog(base: base) { print($0) } }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The maximum real time to wait for each step, for example a completion. Five minutes by default.
    ///   - makeAdapter: A closure that returns the adapter. It receives the stub that the adapter wraps. The stub
    ///     responds to the case's requests, and delivers some bodies in parts.
    /// - Throws: A ``BrokenPromise``, the error of the closure, or `CancellationError`.
    public func run(
        within limit: Duration = .seconds(300),
        overAdapter makeAdapter: (StubDataSource) throws -> any SessionDataTaskDataSource
    ) async throws {
        let routes = ContractRoutes()
        let dataSource = try makeAdapter(routes.makeStub())
        try await run(ContractRun(dataSource, routes, baseURLString: "http://contract.test", limit: limit))
    }

    private func run(_ run: ContractRun) async throws {
        defer { run.finish() }
        do {
            try await check(run)
        } catch let violation as ContractViolation {
            throw BrokenPromise(
                name: name, promise: promise, observation: violation.observation,
                dataSource: "\(type(of: run.dataSource))")
        }
    }
}
