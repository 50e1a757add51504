/// Decides which call is made to a data task next, so that the calls are made in order and never overlap. The owner
/// stores this value under its lock, and records there that the data task should run, pause or end. If a call is
/// returned, that thread makes it outside the lock, and then makes each call of `next()` until that is `nil`. Meanwhile
/// other threads receive no call, so the last call is the one that was wanted last.
package struct DataTaskCalls: Sendable {
    package enum Call: Sendable, Equatable {
        case start(inParts: Bool)
        case deliverParts
        case suspend
        case resume
        /// No call follows.
        case cancel
    }

    private enum State: Sendable {
        case idle(Done)
        /// A thread creates the data task, or makes the call that leads to `done`. It also makes the next call.
        case calling(Done, wanted: Wanted)
        case over
    }

    fileprivate struct Done: Sendable {
        enum Flow { case created, running, suspended }

        var flow = Flow.created
        var inParts = false
    }

    fileprivate struct Wanted: Sendable {
        enum Flow { case running, suspended, cancelled }

        var flow = Flow.suspended
        var inParts = false
    }

    private var state: State

    /// If `isCreating`, `next()` returns the first call after the owner has created the data task.
    package init(isCreating: Bool = false) {
        state = isCreating ? .calling(Done(), wanted: Wanted()) : .idle(Done())
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

    package mutating func end() { state = .over }

    package mutating func next() -> Call? {
        guard case .calling(let done, let wanted) = state else { return nil }
        return advance(from: done, to: wanted)
    }

    private mutating func want(_ change: (inout Wanted) -> Void) -> Call? {
        switch state {
        case .idle(let done):
            var wanted = Wanted(
                flow: done.flow == .running ? .running : .suspended, inParts: done.inParts)
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

    private mutating func advance(from done: Done, to wanted: Wanted) -> Call? {
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

extension DataTaskCalls.Done {
    fileprivate mutating func advance(to wanted: DataTaskCalls.Wanted) -> DataTaskCalls.Call? {
        let isNew = inParts != wanted.inParts
        inParts = wanted.inParts
        switch (flow, wanted.flow) {
        case (_, .cancelled): return .cancel
        case (.created, .suspended): return nil
        case (.created, .running):
            flow = .running
            return .start(inParts: inParts)
        case _ where isNew: return .deliverParts
        case (.running, .suspended):
            flow = .suspended
            return .suspend
        case (.suspended, .running):
            flow = .running
            return .resume
        case (.running, .running), (.suspended, .suspended): return nil
        }
    }
}
