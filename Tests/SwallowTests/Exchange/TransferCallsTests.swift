import Testing

@testable import Swallow

@Suite("The order of calls to a data task")
struct TransferCallsTests {
    private typealias Event = (inout TransferCalls) -> TransferCalls.Call?

    private let table: [Character: Event] = [
        "r": { $0.resume() }, "s": { $0.suspend() }, "p": { $0.deliverParts() }, "c": { $0.cancel() },
        "n": { $0.next() },
        "e": {
            $0.end()
            return nil
        },
    ]

    /// Sends events (resume, suspend, parts, cancel, next, end) and returns the call after each one: `S` for
    /// a start, `P` for a start in parts, a lowercase letter for any other call, and `-` for no call.
    private func calls(_ events: String, isCreating: Bool = false) -> String {
        var calls = TransferCalls(isCreating: isCreating)
        return String(
            events.map { event -> Character in
                switch table[event]?(&calls) {
                case .start(let inParts): inParts ? "P" : "S"
                case .deliverParts: "p"
                case .suspend: "s"
                case .resume: "r"
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

    @Test(
        "Calls that are requested while the data task is created wait, and then the last request counts",
        arguments: [
            ("n", "-"), ("rn", "-S"), ("rpn", "--P"), ("prn", "--P"), ("sn", "--"), ("rsn", "---"),
            ("rsnr", "---S"), ("rspnr", "----P"), ("rcn", "--c"), ("cn", "-c"), ("crn", "--c"), ("en", "--"),
            ("rnn", "-S-"),
        ])
    func creating(events: String, expected: String) {
        #expect(calls(events, isCreating: true) == expected)
    }

    @Test("The state includes whether a call is running, and whether more calls can follow")
    func facts() {
        var calls = TransferCalls()
        #expect(!calls.isCalling && !calls.isOver)
        _ = calls.resume()
        #expect(calls.isCalling && !calls.isOver)
        _ = calls.cancel()
        #expect(calls.isCalling && calls.isOver)
        _ = calls.next()
        #expect(!calls.isCalling && calls.isOver)
    }
}
