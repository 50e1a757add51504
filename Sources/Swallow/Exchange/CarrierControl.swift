import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides when to resume, suspend, cancel or release a data task, and remembers the last call made to it.
///
/// The owner makes the calls outside its lock, one at a time, so the data task ends up as the last caller wanted it,
/// however many threads call at once. Only a cancel may overlap the first resume.
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
        /// Release the data task, outside the lock: its release may call the owner.
        case release
    }

    private var state = State.created
    private var wanted = Signal.suspend
    private var sent = Signal.suspend
    private var isSending = false
    /// Whether the data task pauses because the body's reader can't keep up.
    private(set) var isHeld = false
    /// Whether a resume is due although the last call was one: the data task may have paused by itself, since it was held.
    private var isResumeDue = false
    /// Kept until its last signal has been sent.
    private var dataTask: (any DataTask)?

    package init() {}

    package var isCreated: Bool { state == .created }
    package var hasEnded: Bool { state == .ended }
    package var isSuspended: Bool { wanted == .suspend }

    /// Whether the data task was told to run, and no other signal is due.
    var isRunning: Bool { due == .resume && sent == .resume }

    /// The data task, until the transfer has ended.
    var current: (any DataTask)? { hasEnded ? nil : dataTask }

    /// The signal that the data task should have got last: it runs unless the user or a full buffer suspends it.
    private var due: Signal { isHeld && wanted == .resume ? .suspend : wanted }

    /// Records that the task should run.
    ///
    /// - Returns: whether the caller has to start it, for the first time.
    package mutating func resume() -> Bool {
        if state == .ended { return false }
        wanted = .resume
        guard state == .created else { return false }
        state = .starting
        return true
    }

    /// Records that a started task should pause.
    package mutating func suspend() {
        if state == .starting || state == .transferring { wanted = .suspend }
    }

    /// Pauses the data task for the body's reader, or lets it go on unless the user has suspended it.
    ///
    /// While another thread makes a call, the suspend has to wait for it. A carrier that asks whether it is held doesn't.
    mutating func hold(_ isHeld: Bool) {
        if self.isHeld, !isHeld, sent == .resume { isResumeDue = true }
        self.isHeld = isHeld
    }

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
    /// - Returns: the former data task, to be released outside the lock.
    package mutating func startAnew() -> (any DataTask)? {
        state = .starting
        (sent, isResumeDue) = (.suspend, false)
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
    /// - Parameter isAlone: whether no other code can suspend the task during the call; a cancel may come at any time.
    package mutating func nextSignal(isSender: Bool, isAlone: Bool = false) -> Call? {
        if isSending, !isSender { return nil }
        guard let dataTask, due != sent || due == .resume && isResumeDue else {
            isSending = false
            return nil
        }
        (sent, isResumeDue) = (due, false)
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

// MARK: - Hops

/// One hop of an exchange, as its carrier knows it.
struct Hop: EndingReceiver {
    let owner: any ExchangeOwner
    let number: Int

    /// Takes the head as soon as it is here. A carrier that can't report heads early brings the head with the end.
    ///
    /// - Returns: whether the hop is rejected. The carrier then drops the rest, up to 64 KB of it.
    func receiveHead(_ head: HTTPURLResponse) -> Bool { owner.receive(head: head, of: number) }

    /// Whether the carrier should report the head of a success before the body has ended, even if the body isn't
    /// streamed.
    var wantsHeads: Bool { owner.wantsHeads }

    /// Whether the carrier should pause, since the body's reader can't keep up. A carrier that asks for each part pauses at
    /// once, also while a thread is inside its `resume()`, which keeps the owner from calling `suspend()`. It is resumed
    /// when the reader goes on.
    var isHeld: Bool { owner.withExchange { $0.hop == number && $0.control.isHeld } }

    func receive(_ ending: Ending) { owner.receive(ending, of: number) }

    /// Takes the end on a thread that other requests wait for; false if that could take long.
    func receiveAtOnce(_ ending: Ending) -> Bool { owner.receiveAtOnce(ending, of: number) }

    /// Replaces the hop's request once its body's stream was opened: redirects are made of the new form.
    func replaceRequest(_ request: URLRequest) { owner.replaceRequest(request, of: number) }
}

extension ExchangeOwner {
    /// Starts the carrier of a hop, or cancels it if the hop isn't wanted any more.
    ///
    /// - Parameters:
    ///   - request: the carrier's request; nil where the data source follows redirects itself.
    ///   - isAlone: whether no other code can suspend the carrier before this returns.
    /// - Returns: false if it cancelled the carrier.
    @discardableResult
    func start(
        _ carrier: any DataTask, of hop: Int, sending request: URLRequest? = nil, isAlone: Bool = false
    ) -> Bool {
        var (isStreamed, isWanted) = (false, false)
        func begin(_ exchange: inout Exchange) -> CarrierControl.Call? {
            isWanted = exchange.begin(carrier, of: hop, sending: request)
            return isWanted ? exchange.control.nextSignal(isSender: false, isAlone: isAlone) : nil
        }
        var call = withExchange { exchange in
            isStreamed = exchange.isStreamed
            return isStreamed ? nil : begin(&exchange)
        }
        if isStreamed {
            // Before another thread can resume the carrier.
            if withExchange({ $0.streamsHop(hop) }) { stream(carrier, of: hop) }
            call = withExchange { begin(&$0) }
        }
        if isWanted { send(call) } else { carrier.cancel() }
        return isWanted
    }

    /// Tells the carrier of a hop to give parts.
    func stream(_ carrier: any DataTask, of hop: Int) {
        callCarrier { carrier.stream { part in self.receive(part, of: hop) } }
    }

    /// Makes the calls to the carrier that are due.
    func sendSignals() {
        send(withExchange { $0.control.nextSignal(isSender: false) })
    }

    /// Makes a call to the carrier that is due, and those that follow.
    func send(_ call: CarrierControl.Call?) {
        guard let call else { return }
        callCarrier {
            CarrierControl.send(call) { isSender in
                withExchange { $0.control.nextSignal(isSender: isSender) }
            }
        }
    }
}
