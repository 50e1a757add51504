/// Values by key, limited by count and cost. Functions return removed values, to be released outside the lock.
struct RecencyMap<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        let cost: Int
        var use: Int
    }

    private let countLimit: Int
    private let costLimit: Int
    private var entries: [String: Entry] = [:]
    private var cost = 0
    /// Uses of keys, from oldest to latest. Only the latest use of each key counts.
    private var uses: [(key: String, number: Int)] = []
    private var oldestUse = 0
    private var latestUse = 0

    init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    mutating func value(for key: String) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        // An `inout` parameter reads the entry in place. The subscript's getter would copy it.
        func read(_ entry: inout Entry) -> (value: Value, use: Int) { (entry.value, entry.use) }
        let (value, use) = read(&entries.values[index])
        if use != latestUse { entries.values[index].use = addUse(of: key) }
        return value
    }

    /// Stores a value, unless it alone exceeds a limit. Returns the values that were removed.
    mutating func set(_ value: Value, cost: Int, for key: String) -> [Value] {
        var removed = remove(key).map { [$0] } ?? []
        guard countLimit > 0, cost <= costLimit else { return removed }
        while entries.count >= countLimit || self.cost > costLimit - cost, oldestUse < uses.count {
            let use = uses[oldestUse]
            oldestUse += 1
            if entries[use.key]?.use == use.number, let value = remove(use.key) { removed.append(value) }
        }
        entries[key] = Entry(value: value, cost: cost, use: addUse(of: key))
        self.cost += cost
        return removed
    }

    /// Changes a value without counting this as a use.
    mutating func update(_ key: String, _ change: (inout Value) -> Void) {
        guard var entry = entries.removeValue(forKey: key) else { return }
        change(&entry.value)
        entries[key] = entry
    }

    mutating func remove(_ key: String) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        cost -= entry.cost
        return entry.value
    }

    mutating func removeAll(where isUnwanted: (String) -> Bool = { _ in true }) -> [Value] {
        entries.keys.filter(isUnwanted).compactMap { remove($0) }
    }

    func compactMap<Property>(_ property: (Value) -> Property?) -> [(key: String, property: Property)] {
        entries.compactMap { key, entry in property(entry.value).map { (key, $0) } }
    }

    private mutating func addUse(of key: String) -> Int {
        // Earlier uses of the same keys are dropped only now and then, so a use takes constant time on average.
        if uses.count >= 2 * entries.count + 16 {
            uses = uses[oldestUse...].filter { entries[$0.key]?.use == $0.number }
            oldestUse = 0
        }
        latestUse += 1
        uses.append((key, latestUse))
        return latestUse
    }
}
