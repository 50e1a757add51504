import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request's life: which hop is under way, what is wanted of its carrier, and what becomes of what comes. The decisions,
/// without the calls: an ``ExchangeOwner`` takes a step under its lock, and carries it out without it.
///
/// A *try* is the request as its owner has it, with a credential; a *hop* is what redirects make of it. Each hop has a carrier,
/// a data task of its own. Judges look at a hop's head, or at its end where no head came before: they accept the hop, or have the
/// request sent again. What a rejected hop goes on to bring is dropped.
struct Exchange: Sendable {
    /// What judges are asked about.
    enum Finding: Sendable {
        case head(ResponseHead)
        case failure(any Error)
    }

    /// What an accepted hop brings to the owner.
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
        /// Release a carrier whose body has come to its end; its own end must not come under the lock.
        case release(any DataTask)
    }

    private enum Phase: Sendable {
        /// The hop has brought nothing that was judged.
        case open
        /// Judges look at the hop, or what came meanwhile is being delivered. What comes waits.
        case judging
        case accepted
        /// The hop's end was delivered.
        case over
    }

    /// The carrier of a rejected hop that goes on. Indirect, so that it makes no exchange larger.
    private indirect enum Leftover: Sendable {
        case carrier(any DataTask, dropped: Int)

        var carrier: any DataTask {
            switch self {
            case .carrier(let carrier, _): carrier
            }
        }
    }

    /// What is wanted of the current hop's carrier.
    var control = CarrierControl()
    /// The number of the current hop, from 0 on.
    private(set) var hop = 0
    /// The current hop's request, where redirects are judged here.
    var request: URLRequest?
    /// The redirects of this try that were followed.
    var redirects: [TransferMetrics.Hop] = []
    /// The carriers of redirects that were followed before their end: at the end they know how often they sent the request.
    var redirected: [any DataTask] = []
    /// When the current hop was sent, on the monotonic clock.
    var start: UInt64 = 0
    /// What is known of the current try.
    var attempt = Attempt()
    /// Whether the current hop was accepted.
    private(set) var isAccepted = false
    private var phase = Phase.open
    /// What the current hop has brought that waits for the verdict.
    private var waiting: [Item] = []
    /// Whether the body is wanted in parts.
    private(set) var isStreamed = false
    /// Whether the current hop's carrier was told so.
    private var isHopStreamed = false
    private var leftover: Leftover?
    /// What has ended the try in the data source's place while judges looked.
    private var interruption: (any Error)?

    /// How much of a rejected hop's body may come, so that its connection is kept.
    static let drainLimit = 64 * 1024
}

// MARK: - Carriers

extension Exchange {
    /// Takes the carrier that was made for a hop.
    ///
    /// - Parameter request: what it sends, where redirects are judged here.
    /// - Returns: false if it isn't wanted any more.
    mutating func begin(_ carrier: any DataTask, of hop: Int, sending request: URLRequest? = nil) -> Bool {
        guard hop == self.hop, control.begin(carrier) else { return false }
        if let request { (self.request, start) = (request, DispatchTime.now().uptimeNanoseconds) }
        return true
    }

    /// Asks for bodies in parts from here on.
    ///
    /// - Returns: the carrier that is to be told so, and the number of its hop.
    mutating func stream() -> (any DataTask, Int)? {
        isStreamed = true
        guard let carrier = control.current, streamsHop(hop) else { return nil }
        return (carrier, hop)
    }

    /// Whether the carrier of a hop is to be told to stream; the answer is yes once.
    mutating func streamsHop(_ hop: Int) -> Bool {
        guard isStreamed, !isHopStreamed, hop == self.hop, !control.hasEnded else { return false }
        isHopStreamed = true
        return true
    }
}

// MARK: - What comes

extension Exchange {
    /// Takes the head of a hop from a carrier that waits for the verdict, before it gives it as a part, if at all.
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
            // Bytes without a head are for no receiver.
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
            // Of what was accepted, only a failure is judged once more: a download may go on.
            guard isJudged, !isAccepted || ending.error != nil, let finding = Finding(ending) else {
                phase = .over
                return .deliver
            }
            phase = .judging
            waiting = [.end(ending)]
            return .judge(finding)
        }
    }

    /// Takes the end of a hop that judges have no say in; false where anything came before that they look at.
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
        /// The same, since nothing could be reached.
        case offline
        /// Its credential was refused.
        case refusal
        /// The answer doesn't continue what a download has.
        case range
        /// The answer confirms another response than the one that the request asked about.
        case validation
    }

    /// What is left of a rejected hop.
    struct Rejection: Sendable {
        /// The number of the next hop.
        let hop: Int
        /// The rejected hop's carrier.
        let carrier: (any DataTask)?
        /// Whether that has ended.
        let hasEnded: Bool
        /// Carriers to cancel, since they don't come to their end by themselves.
        let cancelled: [any DataTask]
        /// What came while judges looked: let go of without the lock.
        fileprivate let dropped: [Item]
    }

    private mutating func accept() {
        isAccepted = true
        phase = .accepted
    }

    /// Takes the verdict that a hop is accepted, and then what came meanwhile, one item at a time.
    ///
    /// - Parameter finding: what the verdict is on. A failure that came after an accepted head is given as one that has yet to be
    ///   received, since judges look at it, too.
    /// - Returns: nil once there is no more, and where the try was interrupted.
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

    /// Ends the try in the data source's place: at once, or as soon as judges have looked.
    mutating func interrupt(with error: any Error, isJudged: Bool) -> Step {
        guard isJudging(hop) else { return receive(.failure(error), of: hop, isJudged: isJudged) }
        interruption = interruption ?? error
        return .none
    }

    /// What has ended a try while judges looked.
    struct Interruption: Sendable {
        let error: any Error
        /// What came before: let go of without the lock.
        fileprivate let dropped: [Item]
    }

    /// Takes the error that interrupted the try while judges looked: it is judged in place of what they looked at, and is the
    /// hop's end.
    mutating func takeInterruption(of hop: Int) -> Interruption? {
        guard isJudging(hop), let error = interruption.take() else { return nil }
        defer { waiting = [.end(.failure(error))] }
        return Interruption(error: error, dropped: waiting)
    }

    /// What an exchange that has ended needs no more.
    struct Rest: Sendable {
        /// The carrier of a rejected hop that goes on, which is to be cancelled.
        let leftover: (any DataTask)?
        fileprivate let waiting: [Item]
    }

    /// Takes out what an exchange that has ended needs no more, to be let go of without the lock; nil where there is none.
    mutating func takeRest() -> Rest? {
        if leftover == nil, waiting.isEmpty { return nil }
        defer { waiting = [] }
        return Rest(leftover: leftover.take()?.carrier, waiting: waiting)
    }

    /// Takes the verdict that a hop is rejected, and makes room for the next one.
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
    /// What the end of a hop shows; nil where that is neither an HTTP response nor an error.
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
