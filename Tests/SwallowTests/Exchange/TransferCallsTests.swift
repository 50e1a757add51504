import Testing

@testable import Swallow

@Suite("The order of calls to a data task")
struct TransferCallsTests {
    private let changes: [Character: (inout TransferCalls.Course) -> Void] = [
        "r": { $0.pause = .none }, "f": { $0.pause = .receiving }, "s": { $0.pause = .all },
        "p": { $0.inParts = true }, "c": { $0.isCancelled = true },
    ]

    /// Sends events (resume, full, suspend, parts, cancel, next, end) and returns the call after each one: `S` for
    /// a start, `P` for a start in parts, a lowercase letter for any other call, and `-` for no call.
    private func calls(_ events: String) -> String {
        var (calls, wanted) = (TransferCalls(), TransferCalls.Course())
        return String(
            events.map { event -> Character in
                changes[event]?(&wanted)
                if event == "e" { calls.end() }
                return switch calls.next(toward: wanted, afterCall: event == "n") {
                case .start(let inParts): inParts ? "P" : "S"
                case .deliverParts: "p"
                case .setPause(.none): "r"
                case .setPause(.receiving): "f"
                case .setPause(.all): "s"
                case .cancel: "c"
                case nil: "-"
                }
            })
    }

    @Test(
        "Each event in each state leads to one call or none",
        arguments: [
            // Created: suspend() has nothing to pause, and cancel() is passed on.
            ("r", "S"), ("s", "-"), ("p", "-"), ("c", "c"), ("n", "-"), ("e", "-"), ("pr", "-P"),
            ("sr", "-S"),
            // Running.
            ("rnr", "S--"), ("rns", "S-s"), ("rnp", "S-p"), ("rnc", "S-c"), ("rnn", "S--"), ("rne", "S--"),
            // Suspended.
            ("rnsnr", "S-s-r"), ("rnsns", "S-s--"), ("rnsnp", "S-s-p"), ("rnsnc", "S-s-c"),
            // Only the receiving side is paused.
            ("f", "-"), ("fr", "-S"), ("rnf", "S-f"), ("rnfnf", "S-f--"), ("rnfnr", "S-f-r"),
            ("rnfns", "S-f-s"), ("rnsnf", "S-s-f"), ("rnsfrn", "S-s--r"),
            ("rnfnp", "S-f-p"), ("rnfnc", "S-f-c"),
            // A call is running, so the next one waits for it.
            ("rr", "S-"), ("rs", "S-"), ("rp", "S-"), ("rc", "S-"), ("re", "S-"),
            ("rsn", "S-s"), ("rpn", "S-p"), ("rcn", "S-c"), ("rnsrn", "S-s-r"),
            // Parts are requested once while the body arrives with the completion.
            ("rnpnp", "S-p--"), ("rnpsn", "S-p-s"), ("rspnn", "S--ps"), ("rprn", "S--p"), ("prnp", "-P--"),
            // The last request counts, and a request that is taken back leads to no call.
            ("rsrn", "S---"), ("rsrsn", "S---s"), ("rnsrsn", "S-s---"),
            // Nothing follows a cancel or the end.
            ("cr", "c-"), ("cs", "c-"), ("cp", "c-"), ("cc", "c-"), ("cn", "c-"),
            ("rcrsn", "S---c"), ("rcnrspcn", "S-c-----"), ("rern", "S---"), ("recn", "S---"), ("ec", "--"),
        ])
    func events(_ events: String, expected: String) {
        #expect(calls(events) == expected)
    }

    @Test("A call is running until the thread that made it receives no other call")
    func running() {
        var calls = TransferCalls()
        #expect(!calls.isCalling)
        let running = TransferCalls.Course(pause: .none)
        _ = calls.next(toward: running)
        #expect(calls.isCalling)
        _ = calls.next(toward: running, afterCall: true)
        #expect(!calls.isCalling)
    }
}
