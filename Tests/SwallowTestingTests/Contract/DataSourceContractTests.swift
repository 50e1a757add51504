import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The contract of data sources")
struct DataSourceContractTests {
    /// The time after which a fault counts as found. A new thread needs seconds on a busy machine.
    private static let limit = Duration.seconds(5)

    /// Each test has its own connections.
    private static func makeDataSource() -> any SessionDataTaskDataSource {
        #if os(Linux) && canImport(Glibc)
            if CurlDataSource.isAvailable { return CurlDataSource() }
        #endif
        return URLSessionDataSource()
    }

    @Test("A data source without a fault keeps every promise", arguments: DataSourceContract.cases)
    func noFault(contractCase: DataSourceContract.Case) async throws {
        // The machine may be busy with other tests for minutes.
        let limit = Duration.seconds(3600)
        try await contractCase.run(over: FaultyDataSource(nil, base: Self.makeDataSource()), within: limit)
        try await contractCase.run(within: limit) { FaultyDataSource(nil, base: $0) }
    }

    @Test("Each fault breaks its promise, without a network", arguments: Fault.allCases)
    func fault(fault: Fault) async throws {
        let contractCase = try #require(DataSourceContract.cases.first { $0.name == fault.rawValue })
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run(within: Self.limit) { FaultyDataSource(fault, base: $0) }
        }
        #expect(error?.name == contractCase.name)
        #expect(error?.dataSource == "FaultyDataSource")
    }

    @Test("Each fault breaks its promise, over a server", arguments: Fault.allCases)
    func faultOverServer(fault: Fault) async throws {
        let contractCase = try #require(DataSourceContract.cases.first { $0.name == fault.rawValue })
        let dataSource = FaultyDataSource(fault, base: Self.makeDataSource())
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run(over: dataSource, within: Self.limit)
        }
        #expect(error?.name == contractCase.name)
    }

    @Test("The error states the data source, the promise and the observation")
    func description() async throws {
        let contractCase = try #require(DataSourceContract.cases.first { $0.name == "One completion" })
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run { FaultyDataSource(.completesTwice, base: $0) }
        }
        #expect(
            error?.description == """
                FaultyDataSource breaks the promise “One completion”: A task completes exactly once, however often \
                its functions are called before and after. However, the completion was called 2 times.
                """)
        #expect(error?.localizedDescription == error?.description)
    }

    @Test("A data source that never completes breaks a promise")
    func silence() async throws {
        let error = await #expect(throws: BrokenPromise.self) {
            try await DataSourceContract.cases[1].run(within: Self.limit) { _ in ManualDataSource() }
        }
        #expect(error?.observation == "the request didn't complete within 5.0 seconds")
    }

    @Test(
        "A function that doesn't return breaks a promise",
        arguments: [
            (Fault.deadlocksInDataTask, "dataTask(with:completion:)", "One completion"),
            (.deadlocksInResume, "resume()", "One completion"),
            (.deadlocksInCancel, "cancel()", "cancel() before resume()"),
        ])
    func deadlock(fault: Fault, function: String, name: String) async throws {
        let contractCase = try #require(DataSourceContract.cases.first { $0.name == name })
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run(within: Self.limit) { FaultyDataSource(fault, base: $0) }
        }
        #expect(error?.observation == "\(function) didn't return within 5.0 seconds")
    }

    @Test("The error of an ignored cancel() states that cancel() was called")
    func ignoredCancel() async throws {
        let contractCase = try #require(
            DataSourceContract.cases.first { $0.name == "The receiver is released" })
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run(within: Self.limit) { FaultyDataSource(.ignoresCancel, base: $0) }
        }
        #expect(error?.observation == "after cancel(), the task didn't complete within 5.0 seconds")
    }

    @Test("If a start in dataTask prevents the delivery of parts, the error states the early start")
    func earlyStart() async throws {
        let contractCase = try #require(
            DataSourceContract.cases.first { $0.name == "No part inside a function" })
        let error = await #expect(throws: BrokenPromise.self) {
            try await contractCase.run(within: Self.limit) { EagerDataSource(base: $0) }
        }
        #expect(
            error?.observation
                == "the request was sent before resume(), and the head wasn't delivered within 5.0 seconds")
    }

    @Test("Each name is unique, and each promise is a sentence")
    func names() {
        let cases = DataSourceContract.cases
        #expect(Set(cases.map(\.id)).count == cases.count)
        #expect(cases.allSatisfy { $0.promise.hasSuffix(".") && $0.description == $0.name })
    }
}

/// An adapter whose tasks start immediately, and deliver parts only if the receiver is set before the head arrives.
private struct EagerDataSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        var task = ForwardingTask(base.dataTask(with: request, completion: completion))
        guard request.url?.path.hasPrefix("/held") == true else { return task }
        task.base.resume()
        task.onStream = { _, _ in }
        return task
    }
}
