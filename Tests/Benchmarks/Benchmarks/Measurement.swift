import Foundation
import Support
import Swallow

/// One side of a comparison.
struct Contender: Sendable {
    let label: String
    let operations: Int
    let goal: Goal?
    let perform: @Sendable (_ operations: Int) -> Void

    /// Creates a contender.
    ///
    /// - Parameters:
    ///   - operations: The number of operations in a round.
    ///   - perform: Performs the given number of operations, and returns when all of them are done.
    init(
        _ label: String, operations: Int, goal: Goal? = nil,
        perform: @escaping @Sendable (_ operations: Int) -> Void
    ) {
        self.label = label
        self.operations = operations
        self.goal = goal
        self.perform = perform
    }

    /// Creates a contender whose rounds take about ten milliseconds, or one operation if that takes longer.
    ///
    /// - Parameter operation: The operation. The process ends if it throws.
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

/// The time per operation in microseconds.
struct Cost: Sendable {
    /// The user and system time of the whole process on all threads, and of the programs that it ran.
    var cpu: Double
    var wall: Double
    /// The difference between the quartiles of the rounds' CPU times, divided by their median. It is 0 for fewer than
    /// four rounds.
    var noise = 0.0
}

/// The costs of contenders that take turns in each round. Other work on the machine then slows all of them equally.
struct Measurement: Sendable {
    private var rounds: [[Cost]] = []

    init(rounds: Int = 9, _ contenders: [Contender]) {
        for contender in contenders { contender.perform(max(1, contender.operations / 4)) }
        for _ in 0..<rounds {
            self.rounds.append(contenders.map { $0.measure() })
        }
    }

    func cost(of contender: Int) -> Cost {
        Cost(
            cpu: rounds.map { $0[contender].cpu }.median,
            wall: rounds.map { $0[contender].wall }.median,
            noise: rounds.map { $0[contender].cpu }.spread)
    }

    /// Returns the median of the rounds' ratios of CPU times. It varies less than the ratio of the medians.
    func ratio(of contender: Int, to base: Int) -> Double {
        rounds.map { $0[contender].cpu / $0[base].cpu }.median
    }

    /// Returns the cost of one step, if `contender` does `steps` more steps than `base`.
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

/// The user and system time, in seconds, of this process and of its child processes that have ended.
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
    /// The difference between the quartiles, divided by the median, or 0 for fewer than four values.
    fileprivate var spread: Double {
        guard count > 3, median > 0 else { return 0 }
        let sorted = sorted()
        return (sorted[count * 3 / 4] - sorted[count / 4]) / median
    }

    /// The median, or 0 if the array is empty.
    var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        if isEmpty { return 0 }
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
