import Foundation
import Swallow

struct ReplayEntries: Sendable {
    private struct Slot: Sendable {
        let request: ComparableRequest
        let entry: HAR.Entry
    }

    enum Match: Sendable {
        case entry(HAR.Entry)
        case nothing(String)
    }

    private let slots: [Slot]
    private let taken = Lock<Set<Int>>([])
    private let name: String
    private let conditions: [ReplayCondition]
    let readsBodies: Bool
    private let repeatsLast: Bool

    init(_ har: HAR, name: String, _ options: ReplayingDataSource.Options) {
        slots = har.entries.map { entry in
            Slot(request: ComparableRequest(options.redaction.redacted(entry.request)), entry: entry)
        }
        self.name = name
        conditions = options.conditions
        readsBodies = conditions.contains { $0.readsBody }
        repeatsLast = options.repeats == .last
    }

    /// Conditions may be a test's closures, so they run outside the lock.
    func take(_ sent: ComparableRequest) -> Match {
        let matches = slots.indices.filter { differences(slots[$0], sent, isEnough: 1).isEmpty }
        let place = taken.withLock { taken -> Int? in
            let place = matches.first { !taken.contains($0) } ?? (repeatsLast ? matches.last : nil)
            if let place { taken.insert(place) }
            return place
        }
        return place.map { .entry(slots[$0].entry) } ?? .nothing(problem(with: sent, matches))
    }

    private func differences(_ slot: Slot, _ sent: ComparableRequest, isEnough limit: Int = .max) -> [String]
    {
        var differences: [String] = []
        for condition in conditions where differences.count < limit {
            if let difference = condition.difference(slot.request, sent) { differences.append(difference) }
        }
        return differences
    }

    private func problem(with sent: ComparableRequest, _ matches: [Int]) -> String {
        if let last = matches.last {
            let count = matches.count == 1 ? "its response was" : "its \(matches.count) responses were"
            return
                "\(name) has no more responses for \(sent.name): \(count) replayed, and the last is entry \(last + 1)"
        }
        if slots.isEmpty { return "\(name) has no entries, so it has none for \(sent.name)" }
        let nearest = slots.indices.map { place in
            (place: place, differences: differences(slots[place], sent), slot: slots[place])
        }
        .sorted { left, right in
            if left.differences.count != right.differences.count {
                return left.differences.count < right.differences.count
            }
            let likeness = (likeness(left.slot.request, sent), likeness(right.slot.request, sent))
            return likeness.0 == likeness.1 ? left.place < right.place : likeness.0 > likeness.1
        }
        .prefix(3)
        .map { "entry \($0.place + 1), \($0.slot.request.name) (\($0.differences.joined(separator: "; ")))" }
        return
            "\(name) has no entry for \(sent.name). The most similar entries: \(nearest.joined(separator: "; "))"
    }

    private func likeness(_ left: ComparableRequest, _ right: ComparableRequest) -> Int {
        let (left, right) = (Array(left.request.url.utf8), Array(right.request.url.utf8))
        let start = zip(left, right).prefix { $0 == $1 }.count
        return start + zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    }
}
