import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides when to resume, suspend, cancel or release a data task, and remembers the last call made to it.
///
/// Calls to a data task are made outside its owner's lock, one at a time, so that the data task ends up where the
/// last caller wanted it, whichever threads call at once.
package struct CarrierControl: Sendable {
    private enum State {
        /// Nothing has been sent.
        case created
        /// The request is being encoded and its data task made.
        case starting
        case transferring
        /// The response is here, or the task failed.
        case ended
    }

    package enum Signal: Sendable {
        case resume, suspend, cancel
        /// Let go of the data task. Its end may call its owner, so it must not come under the lock.
        case release
    }

    private var state = State.created
    private var wanted = Signal.suspend
    private var sent = Signal.suspend
    private var isSending = false
    /// Whether the reader of the body can't keep up, whatever is wanted.
    private(set) var isHeld = false
    /// Kept until it has been told the last thing that is wanted of it.
    private var dataTask: (any DataTask)?

    package init() {}

    package var isCreated: Bool { state == .created }
    package var hasEnded: Bool { state == .ended }
    package var isSuspended: Bool { wanted == .suspend }

    /// Whether the data task was told to run, and isn't told anything else.
    var isRunning: Bool { due == .resume && sent == .resume }

    /// The data task, while it may be of use.
    var current: (any DataTask)? { hasEnded ? nil : dataTask }

    /// What the data task is to be told last: it runs if neither the user nor a full buffer suspends it.
    private var due: Signal { isHeld && wanted == .resume ? .suspend : wanted }

    /// Wants the task to run.
    ///
    /// - Returns: whether it is to be started now, for the first time.
    package mutating func resume() -> Bool {
        if state == .ended { return false }
        wanted = .resume
        guard state == .created else { return false }
        state = .starting
        return true
    }

    /// Wants a task that was started to pause.
    package mutating func suspend() {
        if state == .starting || state == .transferring { wanted = .suspend }
    }

    /// Holds the data task back, or lets it go on as far as the user does.
    mutating func hold(_ isHeld: Bool) { self.isHeld = isHeld }

    /// Takes the data task that was made.
    ///
    /// - Returns: false if the task has ended meanwhile, and the data task is not wanted any more.
    package mutating func begin(_ dataTask: any DataTask) -> Bool {
        guard state == .starting else { return false }
        state = .transferring
        self.dataTask = dataTask
        return true
    }

    /// Makes room for another data task.
    ///
    /// - Returns: the one that was there, to be let go of without the lock.
    package mutating func startAnew() -> (any DataTask)? {
        state = .starting
        sent = .suspend
        return dataTask.take()
    }

    /// Ends the transfer, for the first and only time.
    ///
    /// - Returns: false if it has ended before.
    package mutating func end(cancelling: Bool) -> Bool {
        if state == .ended { return false }
        state = .ended
        wanted = cancelling ? .cancel : .release
        return true
    }

    /// The next call to make to the data task; nil if another thread is making one, or none is due.
    ///
    /// - Parameter isAlone: whether nobody can suspend the task while the call is made; a cancel may come at any time.
    package mutating func nextSignal(isSender: Bool, isAlone: Bool = false) -> Call? {
        if isSending, !isSender { return nil }
        guard let dataTask, due != sent else {
            isSending = false
            return nil
        }
        sent = due
        // Nothing follows the last call.
        isSending = !hasEnded && !isAlone
        if hasEnded { self.dataTask = nil }
        return Call(dataTask: dataTask, signal: sent, isLast: !isSending)
    }
}

extension CarrierControl {
    package struct Call: Sendable {
        let dataTask: any DataTask
        let signal: Signal
        fileprivate let isLast: Bool
    }

    /// Makes the calls to a data task that are due, unless another thread is making them.
    ///
    /// - Parameter next: gives the next one, under the owner's lock.
    package static func send(_ next: (_ isSender: Bool) -> Call?) {
        send(next(false), next)
    }

    /// Makes a call that is due, and those that follow.
    package static func send(_ first: consuming Call?, _ next: (_ isSender: Bool) -> Call?) {
        guard var call = first else { return }
        while true {
            switch call.signal {
            case .resume: call.dataTask.resume()
            case .suspend: call.dataTask.suspend()
            case .cancel: call.dataTask.cancel()
            case .release: break
            }
            guard !call.isLast, let following = next(true) else { return }
            call = following
        }
    }
}
