/// A set of tasks, which are cancelled when the bag is cancelled or released.
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
///         service.GET("/stores").responseJSON { [weak self] json in self?.stores = json }.add(to: tasks)
///     }
/// }
/// ```
///
/// A bag keeps no task alive. Tasks can be added from any thread.
public final class TaskBag: Sendable {
    private struct Place: Sendable {
        weak var task: ServiceTask?
    }

    private struct State: Sendable {
        var places: [Place] = []
        var limit = 16
    }

    private let state = Lock(State())

    /// Creates an empty bag.
    public init() {}

    deinit { cancel() }

    /// Cancels the tasks in the bag, and empties the bag. You can add more tasks later.
    public func cancel() {
        let places = state.withLock { state in
            defer { state = State() }
            return state.places
        }
        for place in places { place.task?.cancel() }
    }

    var count: Int { state.withLock { $0.places.count } }

    fileprivate func add(_ task: ServiceTask) {
        let known = state.withLock { state in
            defer { state.places.append(Place(task: task)) }
            guard state.places.count >= state.limit else { return [ServiceTask]() }
            let known = state.places.compactMap(\.task)
            state.places = known.filter { task in !task.core.withLock { $0.chain.isFinished } }.map(
                Place.init)
            state.limit = max(16, 2 * state.places.count)
            return known
        }
        withExtendedLifetime(known) {}
    }
}

extension ServiceTask {
    /// Adds the task to a bag, which cancels the task when the bag is cancelled or released.
    @discardableResult
    public func add(to bag: TaskBag) -> Self {
        bag.add(self)
        return self
    }
}
