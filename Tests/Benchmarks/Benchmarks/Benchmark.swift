/// A named group of rows. A filter on the command line matches the name.
struct Benchmark: Sendable {
    let name: String
    let rows: @Sendable () throws -> [Row]

    init(_ name: String, rows: @escaping @Sendable () throws -> [Row]) {
        self.name = name
        self.rows = rows
    }

    /// Creates a benchmark with a row for each contender. The result is the ratio of its CPU time to the CPU time of
    /// the first contender.
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

    /// Creates a benchmark of races against the first contender of each group. The result is the speed relative to it.
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
