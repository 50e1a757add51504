/// Orders the calls to a transfer or a data task, so that they never overlap. The owner records changes under its lock.
/// The thread that receives a call makes it outside the lock, and then makes each call of `next()`.
package struct TransferCalls: Sendable {
    package enum Call: Sendable, Equatable {
        case start(inParts: Bool)
        case deliverParts
        case suspend
        case resume
        case cancel
    }

    private enum State: Sendable {
        case idle(Course)
        /// A thread is creating the data task or making a call.
        case calling(Course, wanted: Course)
        case over
    }

    fileprivate struct Course: Sendable {
        enum Flow { case created, running, suspended, cancelled }

        var flow = Flow.created
        var inParts = false
    }

    private var state: State

    /// If `isCreating` is `true`, changes are only recorded until the owner has created the data task and calls `next()`.
    package init(isCreating: Bool = false) {
        state = isCreating ? .calling(Course(), wanted: Course()) : .idle(Course())
    }

    package var isCalling: Bool { if case .calling = state { true } else { false } }

    package var isOver: Bool {
        switch state {
        case .idle: false
        case .calling(_, let wanted): wanted.flow == .cancelled
        case .over: true
        }
    }

    package mutating func resume() -> Call? { want { $0.flow = .running } }
    package mutating func suspend() -> Call? { want { $0.flow = .suspended } }
    package mutating func deliverParts() -> Call? { want { $0.inParts = true } }
    package mutating func cancel() -> Call? { want { $0.flow = .cancelled } }

    mutating func update(isPaused: Bool, inParts: Bool) -> Call? {
        want { course in
            course.flow = isPaused ? .suspended : .running
            course.inParts = course.inParts || inParts
        }
    }

    package mutating func end() { state = .over }

    /// Notes that the owner has paused a running transfer by returning `.pause`, so that no call has to pause it.
    mutating func notePause() {
        switch state {
        case .idle(var done) where done.flow == .running:
            done.flow = .suspended
            state = .idle(done)
        case .calling(var done, let wanted) where done.flow == .running:
            done.flow = .suspended
            state = .calling(done, wanted: wanted)
        case .idle, .calling, .over: break
        }
    }

    package mutating func next() -> Call? {
        guard case .calling(let done, let wanted) = state else { return nil }
        return advance(from: done, to: wanted)
    }

    private mutating func want(_ change: (inout Course) -> Void) -> Call? {
        switch state {
        case .idle(let done):
            var wanted = done
            change(&wanted)
            return advance(from: done, to: wanted)
        case .calling(_, let wanted) where wanted.flow == .cancelled: return nil
        case .calling(let done, var wanted):
            change(&wanted)
            state = .calling(done, wanted: wanted)
            return nil
        case .over: return nil
        }
    }

    private mutating func advance(from done: Course, to wanted: Course) -> Call? {
        var done = done
        let call = done.advance(to: wanted)
        state =
            switch call {
            case .cancel: .over
            case nil: .idle(done)
            default: .calling(done, wanted: wanted)
            }
        return call
    }
}

extension TransferCalls.Course {
    fileprivate mutating func advance(to wanted: TransferCalls.Course) -> TransferCalls.Call? {
        let isNew = inParts != wanted.inParts
        inParts = wanted.inParts
        switch (flow, wanted.flow) {
        case (_, .cancelled): return .cancel
        case (.created, .running):
            flow = .running
            return .start(inParts: inParts)
        case (.created, _): return nil
        case _ where isNew: return .deliverParts
        case (.running, .suspended):
            flow = .suspended
            return .suspend
        case (.suspended, .running):
            flow = .running
            return .resume
        default: return nil
        }
    }
}
