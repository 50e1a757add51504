/// A task's life on the side of its data source: a state, and the transitions between states.
///
/// Calls to a data task are made outside the task's lock, one at a time, so that the data task ends up where the
/// last caller wanted it, whichever threads call at once.
struct Transfer: Sendable {
    private enum State {
        /// Nothing has been sent.
        case created
        /// The request is being encoded and its data task made.
        case starting
        case transferring(any DataTask)
        /// The response is here, or the task failed.
        case ended
    }

    enum Signal: Sendable { case resume, suspend, cancel }

    private var state = State.created
    private var wanted = Signal.suspend
    private var sent = Signal.suspend
    private var isSending = false
    private var dataTask: (any DataTask)?

    var isCreated: Bool { if case .created = state { true } else { false } }
    var hasEnded: Bool { if case .ended = state { true } else { false } }
    var isSuspended: Bool { wanted == .suspend }

    /// Wants the task to run.
    ///
    /// - Returns: whether it is to be started now, for the first time.
    mutating func resume() -> Bool {
        switch state {
        case .created:
            state = .starting
            wanted = .resume
            return true
        case .starting, .transferring:
            wanted = .resume
            return false
        case .ended: return false
        }
    }

    mutating func suspend() {
        switch state {
        case .starting, .transferring: wanted = .suspend
        case .created, .ended: break
        }
    }

    /// Takes the data task that was made.
    ///
    /// - Returns: false if the task has ended meanwhile, and the data task is not wanted any more.
    mutating func begin(_ dataTask: any DataTask) -> Bool {
        guard case .starting = state else { return false }
        state = .transferring(dataTask)
        self.dataTask = dataTask
        return true
    }

    /// Ends the transfer, for the first and only time.
    ///
    /// - Returns: false if it has ended before.
    mutating func end(cancelling: Bool) -> Bool {
        if case .ended = state { return false }
        state = .ended
        if cancelling { wanted = .cancel } else { dataTask = nil }
        return true
    }

    /// The next call to make to the data task; nil if another thread is making one, or none is due.
    mutating func nextSignal(isSender: Bool) -> (any DataTask, Signal)? {
        if isSending, !isSender { return nil }
        guard let dataTask, wanted != sent else {
            isSending = false
            if sent == .cancel || hasEnded { self.dataTask = nil }
            return nil
        }
        isSending = true
        sent = wanted
        return (dataTask, wanted)
    }
}
