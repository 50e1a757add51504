/// Values by key, limited by count and cost. The least recently used values are removed first.
///
/// The values are stored in an array whose places are linked in the order of their use, so that every operation takes
/// constant time. Functions return the removed values, so the caller can decide where to release them.
struct RecencyMap<Value: Sendable>: Sendable {
    private struct Place: Sendable {
        var key: String
        var value: Value?
        var cost: Int
        var newer: Int?
        var older: Int?
    }

    private let countLimit: Int
    private let costLimit: Int
    private var places: [Place] = []
    private var vacant: [Int] = []
    private var indices: [String: Int] = [:]
    private var newest: Int?
    private var oldest: Int?
    private var cost = 0

    init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    /// Returns the value of a key, which becomes the newest.
    mutating func value(for key: String) -> Value? {
        guard let index = indices[key] else { return nil }
        moveToFront(index)
        return places[index].value
    }

    /// Sets a value, which becomes the newest, and returns the values that were removed. A value above the limits isn't
    /// stored.
    mutating func set(_ value: Value, cost: Int, for key: String) -> [Value] {
        var removed = remove(key).map { [$0] } ?? []
        guard countLimit > 0, cost <= costLimit else { return removed }
        while indices.count >= countLimit || self.cost > costLimit - cost {
            guard let oldest, let value = remove(places[oldest].key) else { break }
            removed.append(value)
        }
        let place = Place(key: key, value: value, cost: cost)
        let index = vacant.popLast() ?? places.endIndex
        if index == places.endIndex { places.append(place) } else { places[index] = place }
        indices[key] = index
        self.cost += cost
        link(index)
        return removed
    }

    /// Changes a value in place. Its position in the order stays.
    mutating func update(_ key: String, _ change: (inout Value) -> Void) {
        guard let index = indices[key], var value = places[index].value.take() else { return }
        change(&value)
        places[index].value = value
    }

    /// Removes a value and returns it.
    mutating func remove(_ key: String) -> Value? {
        guard let index = indices.removeValue(forKey: key) else { return nil }
        unlink(index)
        cost -= places[index].cost
        vacant.append(index)
        places[index].key = ""
        return places[index].value.take()
    }

    /// Removes the values if a closure returns true for their keys, and returns them.
    mutating func removeAll(where isUnwanted: (String) -> Bool) -> [Value] {
        indices.keys.filter(isUnwanted).compactMap { remove($0) }
    }

    /// Removes all values and returns them.
    mutating func removeAll() -> [Value] {
        let removed = places.compactMap(\.value)
        self = RecencyMap(countLimit: countLimit, costLimit: costLimit)
        return removed
    }

    /// Returns a property of each value that has it, with the value's key.
    func compactMap<Property>(_ property: (Value) -> Property?) -> [(key: String, property: Property)] {
        places.compactMap { place in place.value.flatMap(property).map { (place.key, $0) } }
    }

    private mutating func moveToFront(_ index: Int) {
        if index == newest { return }
        unlink(index)
        link(index)
    }

    private mutating func link(_ index: Int) {
        places[index].newer = nil
        places[index].older = newest
        if let newest { places[newest].newer = index }
        newest = index
        if oldest == nil { oldest = index }
    }

    private mutating func unlink(_ index: Int) {
        let (newer, older) = (places[index].newer, places[index].older)
        if let newer { places[newer].older = older } else { newest = older }
        if let older { places[older].newer = newer } else { oldest = newer }
    }
}
