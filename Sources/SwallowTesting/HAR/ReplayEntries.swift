import Foundation
import Swallow

struct ReplayEntries: Sendable {
    private struct Slot: Sendable {
        let request: ComparableRequest
        let entry: HAR.Entry
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

    /// Returns the first unused entry or, if it may be repeated, the last one, and the places of all that match.
    func take(_ sent: ComparableRequest) -> (entry: HAR.Entry?, matches: [Int]) {
        let matches = matches(sent)
        let place = taken.withLock { taken -> Int? in
            let place = matches.first { !taken.contains($0) } ?? (repeatsLast ? matches.last : nil)
            if let place { taken.insert(place) }
            return place
        }
        return (place.map { slots[$0].entry }, matches)
    }

    /// Conditions may be a test's closures, so they run outside the lock.
    private func matches(_ sent: ComparableRequest) -> [Int] {
        slots.indices.filter { differences(slots[$0], sent, isEnough: 1).isEmpty }
    }

    private func differences(_ slot: Slot, _ sent: ComparableRequest, isEnough limit: Int = .max) -> [String]
    {
        var differences: [String] = []
        for condition in conditions where differences.count < limit {
            if let difference = condition.difference(slot.request, sent) { differences.append(difference) }
        }
        return differences
    }

    func problem(with sent: ComparableRequest, matches: [Int]) -> String {
        if let last = matches.last {
            let count = matches.count == 1 ? "its response was" : "its \(matches.count) responses were"
            return
                "\(name) has no more responses for \(sent.name): \(count) replayed, and the last is entry \(last + 1)"
        }
        if slots.isEmpty { return "\(name) has no entries, so it has none for \(sent.name)" }
        let nearest = slots.enumerated().map { place, slot in
            let differences = differences(slot, sent)
            let text = "entry \(place + 1), \(slot.request.name) (\(differences.joined(separator: "; ")))"
            return (rank: (differences.count, -likeness(slot.request, sent), place), text: text)
        }
        .sorted { $0.rank < $1.rank }
        .prefix(3)
        .map(\.text)
        return
            "\(name) has no entry for \(sent.name). The most similar entries: \(nearest.joined(separator: "; "))"
    }

    private func likeness(_ left: ComparableRequest, _ right: ComparableRequest) -> Int {
        let (left, right) = (Array(left.request.url.utf8), Array(right.request.url.utf8))
        let start = zip(left, right).prefix { $0 == $1 }.count
        return start + zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    }
}
