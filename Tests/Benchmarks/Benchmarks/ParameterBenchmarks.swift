import Foundation
import Swallow

/// The cost of encoding parameters. If it is linear, ten times as many objects take ten times as long.
let parameterBenchmarks = [
    Benchmark(
        "Parameters(encoding:) and its query, of 4 000 objects and of 40 000: linear is ×10",
        contenders: {
            [4_000, 40_000].map { count in
                let list = Stations(stations: (0..<count).map(Station.init))
                return Contender("\(count) objects") {
                    let task = idleService.POST("/", parameters: Parameters(encoding: list))
                    blackHole(try task.request.urlRequest())
                }
            }
        })
]

/// A service that doesn't start its tasks.
private let idleService = WebService(baseURLString: "http://h", startTasksImmediately: false)

private struct Stations: Encodable, Sendable {
    let stations: [Station]
}

private struct Station: Encodable, Sendable {
    let id: Int
    let name: String
    var isOpen: Bool?

    init(id: Int) {
        self.id = id
        name = "Station \(id)"
    }
}
