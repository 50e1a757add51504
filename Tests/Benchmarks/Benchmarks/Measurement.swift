import Foundation
import Support
import Swallow

/// What took part in a measurement: a label, and a way to perform so many operations, one run.
struct Contender: Sendable {
    let label: String
    let operations: Int
    let goal: Goal?
    let perform: @Sendable (_ operations: Int) -> Void

    /// Makes a contender.
    ///
    /// - Parameters:
    ///   - operations: how many of them make a round.
    ///   - perform: performs so many operations, and returns when all of them are done.
    init(
        _ label: String, operations: Int, goal: Goal? = nil,
        perform: @escaping @Sendable (_ operations: Int) -> Void
    ) {
        self.label = label
        self.operations = operations
        self.goal = goal
        self.perform = perform
    }

    /// Makes a contender whose rounds take about ten milliseconds, or one operation where that takes longer.
    ///
    /// - Parameter operation: what it does; ends the process if it throws.
    init(_ label: String, goal: Goal? = nil, operation: @escaping @Sendable () throws -> Void) {
        let perform = { @Sendable (operations: Int) in
            do {
                for _ in 0..<operations { try operation() }
            } catch {
                fail("\(label): \(error)")
            }
        }
        perform(1)
        let time = ContinuousClock().measure { perform(1) }.seconds
        self.init(label, operations: max(1, Int(0.01 / max(time, 1e-7))), goal: goal, perform: perform)
    }
}

/// Time per operation, in microseconds.
struct Cost: Sendable {
    /// User and system time of the whole process, so that work on other threads counts too.
    var cpu: Double
    var wall: Double
    /// By what part of the median the middle half of the rounds differ; 0 for a single one.
    var noise = 0.0
}

/// What contenders cost, in rounds in which they take turns, so that whatever else the machine does at the time
/// meets all of them.
struct Measurement: Sendable {
    /// By round, then by contender.
    private var rounds: [[Cost]] = []

    init(rounds: Int = 9, _ contenders: [Contender]) {
        for contender in contenders { contender.perform(max(1, contender.operations / 4)) }
        for _ in 0..<rounds {
            self.rounds.append(contenders.map { $0.measure() })
        }
    }

    /// The medians of a contender's rounds.
    func cost(of contender: Int) -> Cost {
        Cost(
            cpu: rounds.map { $0[contender].cpu }.median,
            wall: rounds.map { $0[contender].wall }.median,
            noise: rounds.map { $0[contender].cpu }.spread)
    }

    /// How much CPU time a contender takes for each unit of another's: the median of the rounds' ratios, which
    /// drifts less than the ratio of the medians.
    func ratio(of contender: Int, to base: Int) -> Double {
        rounds.map { $0[contender].cpu / $0[base].cpu }.median
    }

    /// The cost of one of the steps by which a contender does more than another.
    func costOfStep(from base: Int, to contender: Int, steps: Double) -> Cost {
        Cost(
            cpu: rounds.map { ($0[contender].cpu - $0[base].cpu) / steps }.median,
            wall: rounds.map { ($0[contender].wall - $0[base].wall) / steps }.median)
    }
}

extension Contender {
    fileprivate func measure() -> Cost {
        let (cpu, wall) = (processTime, ContinuousClock.now)
        perform(operations)
        let scale = 1e6 / Double(operations)
        return Cost(
            cpu: (processTime - cpu) * scale,
            wall: (ContinuousClock.now - wall).seconds * scale)
    }
}

/// The seconds of user and system time that this process has taken, and the programs that it has run to their ends.
var processTime: TimeInterval {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    var children = rusage()
    #if canImport(Glibc)
        getrusage(RUSAGE_CHILDREN.rawValue, &children)
    #else
        getrusage(RUSAGE_CHILDREN, &children)
    #endif
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) * 1e-9
        + [children.ru_utime, children.ru_stime]
        .reduce(0) { $0 + TimeInterval($1.tv_sec) + TimeInterval($1.tv_usec) * 1e-6 }
}

extension [Double] {
    /// The difference of the quartiles, in proportion to the median.
    fileprivate var spread: Double {
        guard count > 3, median > 0 else { return 0 }
        let sorted = sorted()
        return (sorted[count * 3 / 4] - sorted[count / 4]) / median
    }

    /// The middle one by size, or the mean of the middle two; 0 if there is none.
    var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        if isEmpty { return 0 }
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
