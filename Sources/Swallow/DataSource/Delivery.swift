import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls that a data task makes to whoever made it: parts, where somebody wants them, then the completion.
///
/// A value, for the state that its owner locks: it keeps the contract of ``DataTask/stream(to:)``. After each change
/// the owner asks whether it has the turn, and if so makes the calls that `next()` gives, without the lock and outside
/// the task's own functions, until there is none. Without a receiver the completion is all there is.
package struct Delivery: Sendable {
    package typealias Receiver = @Sendable (ResponsePart) -> Void

    /// A call that is due, to be made without the lock.
    package enum Call: Sendable {
        case part(ResponsePart, Receiver)
        case end(Completion.Call)

        package func callAsFunction() {
            switch self {
            case .part(let part, let receiver): receiver(part)
            case .end(let call): call()
            }
        }
    }

    /// Who makes the calls.
    private enum Turn: Sendable {
        case free, taken
        /// The receiver may still be in a call.
        case calling
    }

    /// What there is only where somebody has asked for parts.
    private struct Stream: Sendable {
        let receiver: Receiver
        var isSuspended: Bool
        /// Those before `first` were delivered.
        var parts: [ResponsePart?] = []
        var first = 0
        /// How many bytes wait.
        var backlog = 0
        var turn = Turn.free
        var ending: Ending?
        /// Whether it ends at once, suspended or not.
        var isFailing = false

        init(_ receiver: @escaping Receiver, isSuspended: Bool) {
            self.receiver = receiver
            self.isSuspended = isSuspended
        }

        var isDue: Bool { isFailing || !isSuspended && (first < parts.count || ending != nil) }

        mutating func takePart() -> ResponsePart? {
            if isFailing || first == parts.count { return nil }
            let part = parts[first].take()
            first += 1
            if case .bytes(let bytes) = part { backlog -= bytes.count }
            if first > parts.count / 2 {
                parts.removeFirst(first)
                first = 0
            }
            return part
        }
    }

    private var completion: Completion
    private var stream: Stream?

    package init(_ handler: @escaping Completion.Handler) {
        completion = Completion(handler)
    }

    init(endingWith receiver: Completion.Receiver) {
        completion = Completion(receiver)
    }

    /// Asks the receiver whether it would make short work of a response; parts take their time.
    var endsQuickly: (@Sendable (ResponseHead) -> Bool)? { stream == nil ? completion.endsQuickly : nil }

    /// Whether the task has yet to end.
    package var isDue: Bool { completion.isDue && stream?.ending == nil }

    /// Whether what comes is held.
    var isSuspended: Bool { stream?.isSuspended ?? completion.isSuspended }

    /// Whether parts are wanted.
    package var isStreamed: Bool { stream != nil }

    /// How many bytes wait to be delivered.
    package var backlog: Int { stream?.backlog ?? 0 }
}

// MARK: - Changes

extension Delivery {
    /// Takes who wants parts; the first one stays. Says whether it is this one, and the task has not ended.
    package mutating func stream(to receiver: @escaping Receiver) -> Bool {
        guard completion.isDue, stream == nil else { return false }
        stream = Stream(receiver, isSuspended: completion.isSuspended)
        return true
    }

    /// Takes a part; the head comes first.
    package mutating func add(_ part: ResponsePart) {
        guard isDue, stream != nil else { return }
        if case .bytes(let bytes) = part {
            if bytes.isEmpty { return }
            stream?.backlog += bytes.count
        }
        stream?.parts.append(part)
    }

    /// Ends the task, after what it was given before; the first ending counts.
    ///
    /// - Returns: the completion, where it is due at once.
    package mutating func end(with ending: Ending) -> Completion.Call? {
        guard stream != nil else { return completion.end(with: ending) }
        if isDue { stream?.ending = ending }
        return nil
    }

    /// Ends the task with an error at once, suspended or not: parts that wait are dropped. A call of the receiver that is
    /// under way comes to its end first.
    ///
    /// - Returns: the completion, where it is due at once.
    package mutating func fail(with error: any Error) -> Completion.Call? {
        guard stream != nil else { return completion.fail(with: error) }
        if stream?.isFailing == false {
            stream?.ending = .failure(error)
            stream?.isFailing = true
        }
        return stream?.turn == .calling ? nil : endStream()
    }

    package mutating func suspend() {
        if stream == nil { completion.suspend() } else { stream?.isSuspended = true }
    }

    /// - Returns: the completion, where it is due at once.
    package mutating func resume() -> Completion.Call? {
        if stream == nil { return completion.resume() }
        stream?.isSuspended = false
        return nil
    }
}

// MARK: - The turn

extension Delivery {
    /// Whether a call is due, and nobody has the turn.
    package var isCallDue: Bool { stream?.turn == .free && stream?.isDue == true }

    /// Takes the turn, where a call is due and nobody has it: who gets it is to ask for `next()` calls soon.
    package mutating func takeTurn() -> Bool {
        guard isCallDue else { return false }
        stream?.turn = .taken
        return true
    }

    /// The next call of the one who has the turn; nil where none is due any more, and the turn is given up.
    package mutating func next() -> Call? {
        if stream?.isDue == true {
            if let part = stream?.takePart(), let receiver = stream?.receiver {
                stream?.turn = .calling
                return .part(part, receiver)
            }
            if let call = endStream() { return .end(call) }
        }
        stream?.turn = .free
        return nil
    }

    /// Has calls made that are due, outside of a function of the task's own.
    ///
    /// Whoever brings a part before that takes the turn, and delivers on its own: otherwise all that comes meanwhile would
    /// pile up, and nothing would hold the sender back.
    static func soon(
        takingTurn takeTurn: @escaping @Sendable () -> Bool, _ deliver: @escaping @Sendable () -> Void
    ) {
        DispatchQueue.deliveries.async { if takeTurn() { deliver() } }
    }

    private mutating func endStream() -> Completion.Call? {
        guard let stream = stream.take(), let ending = stream.ending else { return nil }
        var call = completion.endAtOnce(with: ending)
        call?.leftovers = Leftovers(receiver: stream.receiver, parts: stream.parts)
        return call
    }

    /// What nobody gets any more; it goes away with the completion's call, outside the lock.
    struct Leftovers: Sendable {
        let receiver: Receiver
        let parts: [ResponsePart?]
    }
}

/// A delivery that has a lock of its own, and makes its calls on the thread that brings them about.
extension Lock<Delivery> {
    func add(_ part: ResponsePart) {
        let hasTurn = withLock { delivery in
            delivery.add(part)
            return delivery.takeTurn()
        }
        if hasTurn { deliver() }
    }

    func end(with ending: Ending) {
        let (call, hasTurn) = withLock { ($0.end(with: ending), $0.takeTurn()) }
        call?()
        if hasTurn { deliver() }
    }

    func fail(with error: any Error) { withLock { $0.fail(with: error) }?() }
    func suspend() { withLock { $0.suspend() } }

    /// Makes calls that are due somewhere else.
    func deliverSoon() {
        if withLock({ $0.isCallDue }) {
            Delivery.soon(takingTurn: { self.withLock { $0.takeTurn() } }, deliver)
        }
    }

    private func deliver() {
        while let call = withLock({ $0.next() }) { call() }
    }
}

extension DispatchQueue {
    /// Where parts are delivered that waited for a call of a task's own functions to return.
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}
