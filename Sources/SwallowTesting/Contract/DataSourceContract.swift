import Foundation
import Swallow

/// The promises of a data source, as cases that you run over your own data source in one test.
///
/// ```swift
/// @Test(arguments: DataSourceContract.cases)
/// func requestLogKeepsThePromise(_ contractCase: DataSourceContract.Case) async throws {
///     let dataSource = RequestLog(base: URLSessionDataSource()) { print($0) }
///     try await contractCase.run(over: dataSource)
/// }
/// ```
///
/// `SessionDataTaskDataSource` and `DataTask` document the promises. A case throws a ``BrokenPromise`` if the data
/// source doesn't keep its promise.
public enum DataSourceContract {
    /// All cases, in the order of a task's life.
    public static let cases =
        startCases + responseCases + suspensionCases + cancellationCases + partCases + raceCases

    /// One promise, and its check.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        /// A short name, which is unique.
        public let name: String
        /// The promise in one sentence.
        public let promise: String
        private let check: @Sendable (ContractRun) async throws -> Void

        init(
            _ name: String, _ promise: String, check: @escaping @Sendable (ContractRun) async throws -> Void
        ) {
            (self.name, self.promise, self.check) = (name, promise, check)
        }

        /// The ``name``, which identifies the case in a test's output.
        public var id: String { name }
        /// The ``name``.
        public var description: String { name }
    }
}

/// A data source doesn't keep a promise of the ``DataSourceContract``.
public struct BrokenPromise: Error, CustomStringConvertible, LocalizedError {
    /// The ``DataSourceContract/Case/name`` of the case.
    public let name: String
    /// The promise that is broken.
    public let promise: String
    /// A description of what the data source did instead.
    public let observation: String
    /// The type of the data source.
    public let dataSource: String

    /// One line with the data source, the promise and the observation.
    public var description: String {
        "\(dataSource) breaks the promise “\(name)”: \(promise) However, \(observation)."
    }

    /// The ``description``.
    public var errorDescription: String? { description }
}

extension DataSourceContract.Case {
    /// Runs the case over a data source that sends its requests to a server on the loopback.
    ///
    /// The case starts the server, and stops it at the end. Use this function for a data source that sends HTTP
    /// requests, and for an adapter over such a data source.
    ///
    /// - Parameters:
    ///   - dataSource: The data source. Cases may share it, also if they run at the same time. It should send a request
    ///     as it is, and return each response with its status.
    ///   - limit: The longest time to wait for a call. A data source that never makes the call breaks the promise.
    /// - Throws: A ``BrokenPromise``, or an error of the server, which has no socket.
    public func run(
        over dataSource: any SessionDataTaskDataSource, within limit: Duration = .seconds(60)
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
    ///   - limit: The longest time to wait for a call.
    ///   - makeAdapter: Returns the adapter over a stub that responds to the requests of the case. It delivers some
    ///     bodies in parts.
    /// - Throws: A ``BrokenPromise``, or the error of the closure.
    public func run(
        within limit: Duration = .seconds(60),
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
