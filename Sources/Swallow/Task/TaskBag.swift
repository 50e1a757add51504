/// Tasks that end together: when the bag is cancelled, and when it goes.
///
/// ```swift
/// @MainActor
/// final class StoreList {
///     let service: WebService
///     let tasks = TaskBag()
///     var stores = JSON.missing
///
///     init(service: WebService) { self.service = service }
///
///     func load() {
///         service.GET("/stores").responseJSON { json in self.stores = json }.add(to: tasks)
///     }
/// }
/// ```
///
/// A bag keeps no task alive, and forgets those that have ended, so it may live as long as the app and have any number of
/// tasks added to it, from any thread.
public final class TaskBag: Sendable {
    private struct Place: Sendable {
        weak var task: ServiceTask?
    }

    private struct State: Sendable {
        var places: [Place] = []
        /// At how many places the bag next drops those of tasks that have ended.
        var limit = 16
    }

    private let state = Lock(State())

    /// Makes an empty bag.
    public init() {}

    deinit { cancel() }

    /// Cancels the tasks in the bag that have yet to end, and empties it. Further tasks can be added later.
    public func cancel() {
        let places = state.withLock { state in
            defer { state = State() }
            return state.places
        }
        for place in places { place.task?.cancel() }
    }

    /// How many tasks the bag knows; some of them may have ended.
    var count: Int { state.withLock { $0.places.count } }

    fileprivate func add(_ task: ServiceTask) {
        let known = state.withLock { state in
            defer { state.places.append(Place(task: task)) }
            guard state.places.count >= state.limit else { return [ServiceTask]() }
            let known = state.places.compactMap(\.task)
            state.places = known.filter { task in !task.core.withLock { $0.chain.isFinished } }.map(
                Place.init)
            // By doubling, each task is looked at twice on average, however many there are.
            state.limit = max(16, 2 * state.places.count)
            return known
        }
        // This may be the last reference to a task, which is then released outside the lock.
        withExtendedLifetime(known) {}
    }
}

extension ServiceTask {
    /// Ends the task when a bag is cancelled or goes away.
    @discardableResult
    public func add(to bag: TaskBag) -> Self {
        bag.add(self)
        return self
    }
}
