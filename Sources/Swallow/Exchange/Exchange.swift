import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request's life: which hop is under way, what its carrier should do, and where its parts and its end go. It only
/// decides: an ``ExchangeOwner`` asks for a step under its lock, and carries it out once it has released the lock.
///
/// A *try* sends the owner's request with a credential. A *hop* is one request of a try: the first, or one that a redirect
/// led to. Each hop has a data task of its own, the *carrier*. Judges look at a hop's head, or at its end if no head came:
/// they accept the hop, or ask for another request. What a rejected hop still brings is dropped.
struct Exchange: Sendable {
    /// The head or failure that judges decide on.
    enum Finding: Sendable {
        case head(ResponseHead)
        case failure(any Error)
    }

    /// A part or the end of a hop, for the owner.
    enum Item: Sendable {
        case part(ResponsePart)
        case end(Ending)
    }

    enum Step: Sendable {
        case none
        /// Ask the judges.
        case judge(Finding)
        /// The owner delivers the part or the end that it has just received.
        case deliver
        /// Cancel the carrier of a rejected hop, whose body is too long.
        case cancel(any DataTask)
        /// Release the carrier of a rejected hop that has ended. Its `deinit` must not run under the lock.
        case release(any DataTask)
    }

    private enum Phase: Sendable {
        /// No judge has looked at the hop yet.
        case open
        /// Judges look at the hop, or items that came meanwhile are being delivered. New items wait.
        case judging
        case accepted
        /// The hop's end was delivered.
        case over
    }

    /// The carrier of a rejected hop that goes on. Indirect to keep `Exchange` small.
    private indirect enum Leftover: Sendable {
        case carrier(any DataTask, dropped: Int)

        var carrier: any DataTask {
            switch self {
            case .carrier(let carrier, _): carrier
            }
        }
    }

    /// What the exchange remembers of a try. The enum is indirect: its content lies on the heap, so that an exchange stays
    /// small.
    private indirect enum KnownAttempt: Sendable {
        case attempt(Attempt)
    }

    /// Decides the calls to the current hop's carrier.
    var control = CarrierControl()
    /// The number of the current hop, from 0 on.
    private(set) var hop = 0
    /// The current hop's request; nil where the data source follows redirects itself.
    var request: URLRequest?
    /// The redirects of this try that were followed.
    var redirects: [TransferMetrics.Hop] = []
    /// The carriers of redirects that were followed before they ended. Only then do they know how often they sent the
    /// request.
    var redirected: [any DataTask] = []
    /// When the current hop was sent, on the monotonic clock.
    var start: UInt64 = 0
    private var known: KnownAttempt?
    /// Whether the current hop was accepted.
    private(set) var isAccepted = false
    private var phase = Phase.open
    /// The current hop's items that wait for the verdict.
    private var waiting: [Item] = []
    /// Whether the body is wanted in parts.
    private(set) var isStreamed = false
    /// Whether the current hop's carrier was told to give its body in parts.
    private var isHopStreamed = false
    private var leftover: Leftover?
    /// The error that interrupted the try while judges looked at its hop.
    private var interruption: (any Error)?

    /// Counts the tries, and keeps the current one's request.
    var attempt: Attempt {
        get { if case .attempt(let attempt)? = known { attempt } else { Attempt() } }
        set { known = .attempt(newValue) }
    }

    /// How many bytes of a rejected hop's body may still come, so that its connection can be reused.
    static let drainLimit = 64 * 1024
}

// MARK: - Carriers

extension Exchange {
    /// Takes the carrier that was made for a hop.
    ///
    /// - Parameter request: the carrier's request; nil where the data source follows redirects itself.
    /// - Returns: false if the hop isn't wanted any more.
    mutating func begin(_ carrier: any DataTask, of hop: Int, sending request: URLRequest? = nil) -> Bool {
        guard hop == self.hop, control.begin(carrier) else { return false }
        if let request { (self.request, start) = (request, DispatchTime.now().uptimeNanoseconds) }
        return true
    }

    /// Asks for bodies in parts from here on.
    ///
    /// - Returns: the carrier to tell to stream, and its hop's number; nil if there is none to tell.
    mutating func stream() -> (any DataTask, Int)? {
        isStreamed = true
        guard let carrier = control.current, streamsHop(hop) else { return nil }
        return (carrier, hop)
    }

    /// Whether to tell a hop's carrier to stream; true at most once for each hop.
    mutating func streamsHop(_ hop: Int) -> Bool {
        guard isStreamed, !isHopStreamed, hop == self.hop, !control.hasEnded else { return false }
        isHopStreamed = true
        return true
    }
}

// MARK: - Receiving

extension Exchange {
    /// Takes the head of a hop before it comes as a part, from a carrier that waits for the verdict.
    mutating func receiveHead(_ head: ResponseHead, of hop: Int, isJudged: Bool) -> Step {
        guard isJudged, hop == self.hop, !control.hasEnded, case .open = phase else { return .none }
        phase = .judging
        return .judge(.head(head))
    }

    mutating func receive(_ part: ResponsePart, of hop: Int, isJudged: Bool) -> Step {
        guard hop == self.hop, !control.hasEnded else { return drop(part, of: hop) }
        switch phase {
        case .over: return .none
        case .accepted: return .deliver
        case .judging:
            waiting.append(.part(part))
            return .none
        case .open:
            // Bytes before a head are dropped.
            guard case .head(let head) = part else { return .none }
            guard isJudged else {
                accept()
                return .deliver
            }
            phase = .judging
            waiting = [.part(part)]
            return .judge(.head(ResponseHead(head)))
        }
    }

    /// Takes the end of a hop; the first one counts.
    mutating func receive(_ ending: Ending, of hop: Int, isJudged: Bool) -> Step {
        guard hop == self.hop, !control.hasEnded else {
            let left = hop == self.hop - 1 ? leftover.take() : nil
            return left.map { .release($0.carrier) } ?? .none
        }
        switch phase {
        case .over: return .none
        case .judging:
            if !hasEnd { waiting.append(.end(ending)) }
            return .none
        case .open, .accepted:
            // Of an accepted hop only a failure is judged once more: a download may continue it.
            guard isJudged, !isAccepted || ending.error != nil, let finding = Finding(ending) else {
                phase = .over
                return .deliver
            }
            phase = .judging
            waiting = [.end(ending)]
            return .judge(finding)
        }
    }

    /// Takes the end of a hop without asking judges.
    ///
    /// - Returns: false if the hop is over or its head came before; the end must then take the usual way.
    mutating func endUnjudged(_ hop: Int) -> Bool {
        guard hop == self.hop, !control.hasEnded, case .open = phase else { return false }
        phase = .over
        return true
    }

    /// Whether the hop that judges look at has ended.
    var hasEnd: Bool { if case .end? = waiting.last { true } else { false } }

    private mutating func drop(_ part: ResponsePart, of hop: Int) -> Step {
        guard hop == self.hop - 1, case .carrier(let carrier, let dropped)? = leftover,
            case .bytes(let bytes) = part
        else { return .none }
        let isTooMuch = dropped + bytes.count > Self.drainLimit
        leftover = isTooMuch ? nil : .carrier(carrier, dropped: dropped + bytes.count)
        return isTooMuch ? .cancel(carrier) : .none
    }
}

// MARK: - Verdicts

extension Exchange {
    enum Verdict: Sendable {
        case accept
        case fail(any Error)
        case again(Again)
    }

    /// A request that is to be sent in place of the current hop's.
    struct Again: Sendable {
        let cause: Cause
        var delay = Duration.zero
        /// Where a redirect leads; nil for the try's request.
        var request: URLRequest?
    }

    /// Why a request is sent again.
    enum Cause: Sendable {
        case redirect
        /// The retry policy wants it.
        case retry
        /// The retry policy wants it, since the network is gone.
        case offline
        /// Its credential was refused.
        case refusal
        /// The response doesn't continue a download's earlier bytes.
        case range
        /// The 304 confirms another response than the one whose validators were sent.
        case validation
    }

    /// What is left of a rejected hop.
    struct Rejection: Sendable {
        /// The number of the next hop.
        let hop: Int
        /// The rejected hop's carrier.
        let carrier: (any DataTask)?
        /// Whether the rejected hop has ended.
        let hasEnded: Bool
        /// Carriers to cancel, since they would not end by themselves.
        let cancelled: [any DataTask]
        /// Items that came while judges looked, to be released outside the lock.
        fileprivate let dropped: [Item]
    }

    private mutating func accept() {
        isAccepted = true
        phase = .accepted
    }

    /// Accepts a hop. Each call returns one of the items that came while judges looked.
    ///
    /// - Parameter finding: the head or failure that was judged. A failure that came after a judged head is an item
    ///   that the owner must receive again, so that judges look at it, too.
    /// - Returns: nil after the last item, and if the try was interrupted.
    mutating func nextAccepted(of hop: Int, after finding: Finding) -> Item? {
        guard isJudging(hop), interruption == nil else { return nil }
        accept()
        if waiting.isEmpty { return nil }
        let item = waiting.removeFirst()
        if case .end(let ending) = item {
            phase = ending.error != nil && finding.error == nil ? .accepted : .over
        } else {
            phase = .judging
        }
        return item
    }

    private func isJudging(_ hop: Int) -> Bool {
        if case .judging = phase { hop == self.hop && !control.hasEnded } else { false }
    }

    /// Ends the try with an error, as if its data source had failed: at once, or once the judges have looked.
    mutating func interrupt(with error: any Error, isJudged: Bool) -> Step {
        guard isJudging(hop) else { return receive(.failure(error), of: hop, isJudged: isJudged) }
        interruption = interruption ?? error
        return .none
    }

    /// An error that interrupted a try while judges looked.
    struct Interruption: Sendable {
        let error: any Error
        /// The items that came before, to be released outside the lock.
        fileprivate let dropped: [Item]
    }

    /// Takes the error that interrupted the try while judges looked. It becomes the hop's end, to be judged instead of the
    /// former finding.
    mutating func takeInterruption(of hop: Int) -> Interruption? {
        guard isJudging(hop), let error = interruption.take() else { return nil }
        defer { waiting = [.end(.failure(error))] }
        return Interruption(error: error, dropped: waiting)
    }

    /// What an exchange releases at its end, outside the lock.
    struct Rest: Sendable {
        /// A rejected hop's carrier that still runs, to be cancelled.
        let leftover: (any DataTask)?
        fileprivate let waiting: [Item]
    }

    /// Takes out what an exchange releases at its end; nil if there is nothing.
    mutating func takeRest() -> Rest? {
        if leftover == nil, waiting.isEmpty { return nil }
        defer { waiting = [] }
        return Rest(leftover: leftover.take()?.carrier, waiting: waiting)
    }

    /// Rejects a hop, and makes room for the next one.
    ///
    /// - Returns: nil where the hop isn't under way any more, and where the try was interrupted.
    mutating func reject(_ hop: Int, because cause: Cause) -> Rejection? {
        guard isJudging(hop), interruption == nil else { return nil }
        var cancelled = leftover.take().map { [$0.carrier] } ?? []
        let (hasEnded, dropped) = (hasEnd, waiting)
        // A carrier that gave no part drops the rest by itself. One that is suspended would wait for ever.
        let goesOn = !hasEnded && !waiting.isEmpty
        let isDrained = goesOn && control.isRunning
        let carrier = control.startAnew()
        if let carrier, isDrained { leftover = .carrier(carrier, dropped: 0) }
        if let carrier, goesOn, !isDrained { cancelled.append(carrier) }
        self.hop += 1
        (phase, waiting, isAccepted, isHopStreamed) = (.open, [], false, false)
        if cause != .redirect {
            attempt.next(because: cause)
            redirects = []
        }
        return Rejection(
            hop: self.hop, carrier: carrier, hasEnded: hasEnded, cancelled: cancelled, dropped: dropped)
    }
}

extension Exchange.Finding {
    /// The finding at the end of a hop; nil if that is neither an HTTP response nor an error.
    init?(_ ending: Ending) {
        if let error = ending.error {
            self = .failure(error)
        } else if let head = ending.head {
            self = .head(head)
        } else {
            return nil
        }
    }

    var response: HTTPURLResponse? { if case .head(let head) = self { head.response } else { nil } }
    var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}
