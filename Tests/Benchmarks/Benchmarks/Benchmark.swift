/// A name to choose it by, and rows of figures that belong together.
struct Benchmark: Sendable {
    let name: String
    let rows: @Sendable () throws -> [Row]

    init(_ name: String, rows: @escaping @Sendable () throws -> [Row]) {
        self.name = name
        self.rows = rows
    }

    /// Contenders that take turns: a row for each, the ratio of its CPU time to the first one's beside it.
    init(_ name: String, contenders: @escaping @Sendable () throws -> [Contender]) {
        self.init(name) {
            let contenders = try contenders()
            let measurement = Measurement(contenders)
            return contenders.indices.map { index in
                let isFirst = index == contenders.startIndex
                return Row(
                    contenders[index].label, cost: measurement.cost(of: index),
                    result: isFirst ? nil : .ratio(measurement.ratio(of: index, to: 0)),
                    goal: contenders[index].goal)
            }
        }
    }

    /// Races of a rival, which is the first, and others: how many times as fast as it each of them is.
    init(_ name: String, races: @escaping @Sendable () throws -> [[Contender]]) {
        self.init(name) {
            try races().flatMap { contenders in
                let measurement = Measurement(contenders)
                return contenders.indices.map { index in
                    let isRival = index == contenders.startIndex
                    return Row(
                        contenders[index].label, cost: measurement.cost(of: index),
                        result: isRival ? nil : .speed(measurement.ratio(of: 0, to: index)),
                        goal: contenders[index].goal)
                }
            }
        }
    }
}
