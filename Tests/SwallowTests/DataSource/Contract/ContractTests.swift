import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("The contract of Swallow's data sources")
struct ContractTests {
    /// An adapter over a data source that needs no network.
    enum Adapter: CaseIterable, Sendable {
        case stub, coalescing, intercepting, degraded, recording, whole

        func source(
            over base: any SessionDataTaskDataSource, _ folder: TemporaryFolder
        ) -> any SessionDataTaskDataSource {
            switch self {
            case .stub: base
            case .coalescing: base.coalescing()
            case .intercepting: base.intercepting { try await $1($0) }
            case .degraded: base.degraded()
            case .recording: base.recording(to: folder.file("contract.har"))
            case .whole: WholeDataSource(base: base)
            }
        }
    }

    private let folder = TemporaryFolder()

    @Test(
        "A data source over a server keeps the promise", arguments: Contestant.allCases,
        DataSourceContract.cases)
    func server(contestant: Contestant, contractCase: DataSourceContract.Case) async throws {
        try await contractCase.run(over: contestant.source(), within: .seconds(300))
    }

    @Test(
        "A data source without a network keeps the promise", arguments: Adapter.allCases,
        DataSourceContract.cases)
    func adapter(adapter: Adapter, contractCase: DataSourceContract.Case) async throws {
        try await contractCase.run(within: .seconds(300)) { adapter.source(over: $0, folder) }
    }
}
