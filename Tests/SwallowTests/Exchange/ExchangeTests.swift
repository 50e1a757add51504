import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("An exchange's states and events")
struct ExchangeTests {
    /// A state of an exchange, and the events that lead to it.
    enum Start: String, CaseIterable, Sendable {
        case notSent, waitingToSend, started, paused, deciding, receiving, decidingOnFailure, received,
            complete
        case sendingAgain, redirected
    }

    /// An event, with its result as text.
    enum Event: String, CaseIterable, Sendable {
        case resume, suspend, sinkIsFull, deliverParts
        case head, headForPolicies, bodyPart, success, failure, failureForPolicies
        case accept, sendAgain, complete
    }

    @Test(
        "Each event in each state has exactly one result and leads to the expected calls to the transfer",
        arguments: Start.allCases)
    func table(start: Start) throws {
        for event in Event.allCases {
            let exchange = try Driver(start)
            let result = exchange.receive(event)
            let expected = try #require(Self.results[start]?[event] ?? Self.ignored[event])
            #expect(result == expected, "\(event) in \(start)")
        }
    }

    /// The results of events in states that ignore them.
    private static let ignored: [Event: String] = [
        .resume: "", .suspend: "", .sinkIsFull: "", .deliverParts: "", .head: "drop",
        .headForPolicies: "drop",
        .bodyPart: "", .success: "drop", .failure: "drop", .failureForPolicies: "drop", .accept: "",
        .sendAgain: "", .complete: "first",
    ]

    private static let results: [Start: [Event: String]] = [
        .notSent: [.resume: "send"],
        .waitingToSend: [:],
        .started: [
            .suspend: "pause", .sinkIsFull: "pause receiving", .deliverParts: "parts", .head: "deliver",
            .headForPolicies: "decide", .success: "deliver", .failure: "deliver",
            .failureForPolicies: "decide",
            .complete: "first cancel",
        ],
        .paused: [
            .resume: "resume", .deliverParts: "parts", .head: "deliver", .headForPolicies: "decide",
            .success: "deliver", .failure: "deliver", .failureForPolicies: "decide",
            .complete: "first cancel",
        ],
        .deciding: [
            .suspend: "pause", .sinkIsFull: "pause receiving", .deliverParts: "parts", .accept: "accepted",
            .sendAgain: "1", .complete: "first cancel",
        ],
        .receiving: [
            .suspend: "pause", .sinkIsFull: "pause receiving", .deliverParts: "parts 200", .bodyPart: "takes",
            .success: "deliver", .failure: "deliver", .failureForPolicies: "decide",
            .complete: "first cancel",
        ],
        .decidingOnFailure: [
            .suspend: "pause", .sinkIsFull: "pause receiving", .deliverParts: "parts", .accept: "accepted",
            .sendAgain: "1", .complete: "first cancel",
        ],
        .received: [:],
        .complete: [.complete: ""],
        .sendingAgain: [.complete: "first cancel"],
        .redirected: [
            .suspend: "pause", .sinkIsFull: "pause receiving", .deliverParts: "parts", .head: "deliver",
            .headForPolicies: "decide", .success: "deliver", .failure: "deliver",
            .failureForPolicies: "decide",
            .complete: "first cancel cancel",
        ],
    ]

    @Test("Events of a replaced transfer are dropped")
    func replaced() throws {
        let exchange = try Driver(.redirected)
        #expect(exchange.receive(.head, from: 0) == "drop")
        #expect(exchange.receive(.bodyPart, from: 0) == "")
        #expect(exchange.receive(.success, from: 0) == "drop")
        let isWanted = exchange.value.begin(FailedTransfer(AppError()), number: 0, sending: nil)
        #expect(!isWanted)
    }

    @Test("A transfer that is paused before it starts is started by resume()")
    func pausedBeforeStart() throws {
        let exchange = try Driver(.waitingToSend)
        #expect(exchange.receive(.suspend) == "")
        #expect(exchange.begin() == "")
        #expect(exchange.receive(.resume) == "start")
        #expect(exchange.receive(.suspend) == "pause")
    }

    @Test("A transfer starts with body parts if they were requested before, and the request isn't repeated")
    func startsWithParts() throws {
        let exchange = try Driver(.waitingToSend)
        exchange.value.deliverParts()
        #expect(exchange.begin() == "start with parts")
        #expect(exchange.receive(.deliverParts) == "")
    }

    @Test("A full sink pauses by its return value, so no call follows, and resumes when it has room")
    func flow() throws {
        let exchange = try Driver(.receiving)
        #expect(exchange.flow(isSinkFull: true) == .pause)
        #expect(exchange.calls() == "")
        exchange.value.setSinkFull(false)
        #expect(exchange.calls() == "resume")
        #expect(exchange.flow(isSinkFull: false) == .more)
    }

    @Test("If a task is suspended while its sink is full, its upload pauses until the task is resumed")
    func suspendedWhileFull() throws {
        let exchange = try Driver(.receiving)
        #expect(exchange.flow(isSinkFull: true) == .pause)
        #expect(exchange.receive(.suspend) == "pause")
        exchange.value.setSinkFull(false)
        #expect(exchange.calls() == "")
        #expect(exchange.flow(isSinkFull: true) == .pause)
        #expect(exchange.receive(.resume) == "pause receiving")
        exchange.value.setSinkFull(false)
        #expect(exchange.calls() == "resume")
    }

    @Test("While a thread makes a call, other threads receive no call, and that thread makes the next one")
    func order() throws {
        let exchange = try Driver(.started)
        exchange.value.suspend()
        let pause = exchange.value.nextCall()
        #expect(pause?.kind == .setPause(.all))
        _ = exchange.value.resume()
        let ofOther = exchange.value.nextCall()
        #expect(ofOther == nil)
        let resume = exchange.value.nextCall(after: pause)
        #expect(resume?.kind == .setPause(.none))
    }

    @Test(
        "If the exchange completes while a transfer starts, that transfer and the drained one are cancelled")
    func completesDuringStart() throws {
        let exchange = try Driver(.sendingAgain)
        let isWanted = exchange.value.begin(FailedTransfer(AppError()), number: 1, sending: nil)
        #expect(isWanted)
        let start = exchange.value.nextCall()
        #expect(exchange.receive(.complete, callsAfter: start) == "first cancel cancel")
    }

    @Test(
        "A return value that pauses a transfer during its start is followed by a call when the sink has room")
    func flowDuringStart() throws {
        let exchange = try Driver(.waitingToSend)
        let isWanted = exchange.value.begin(FailedTransfer(AppError()), number: 0, sending: nil)
        #expect(isWanted)
        let start = exchange.value.nextCall()
        #expect(exchange.receive(.head) == "deliver")
        #expect(exchange.flow(isSinkFull: true) == .pause)
        let next = exchange.value.nextCall(after: start)
        #expect(next == nil)
        exchange.value.setSinkFull(false)
        #expect(exchange.calls() == "resume")
    }

    @Test(
        "A redirect stays in the attempt, and every other cause begins a new attempt without redirects",
        arguments: [FollowUp.Cause.redirect, .retry, .offline, .rejectedCredential, .range, .validation])
    func attempts(cause: FollowUp.Cause) throws {
        let exchange = try Driver(.started)
        exchange.value.attempt.validate(
            with: try #require(Validators(entityTag: "\"a\"", lastModified: nil, url: nil)))
        #expect(exchange.receive(.headForPolicies) == "decide")
        #expect(exchange.sendAgain(because: cause) == 1)
        let attempt = exchange.value.attempt
        #expect(exchange.value.redirects.count == (cause == .redirect ? 1 : 0))
        #expect(attempt.rejected == (cause == .redirect ? 0 : 1))
        #expect(attempt.retries == (cause == .retry || cause == .offline ? 1 : 0))
        #expect(attempt.offlineRetries == (cause == .offline ? 1 : 0))
        #expect(attempt.credentialRejections == (cause == .rejectedCredential ? 1 : 0))
        #expect((attempt.validators == nil) == (cause == .validation))
    }
}

/// An exchange in a given state. It returns its results as text, so that tests can compare them.
private final class Driver {
    var value = Exchange()
    private let head: ResponseHead

    init(_ start: ExchangeTests.Start) throws {
        let manual = ManualExchange(request: .to("http://h/1"), answersInResume: nil) { _, _, _ in }
        head = ResponseHead(try #require(manual.response(status: 200)))
        if start == .notSent { return }
        #expect(receive(.resume) == "send")
        if start == .waitingToSend { return }
        #expect(begin() == "start")
        switch start {
        case .notSent, .waitingToSend, .started: break
        case .paused: #expect(receive(.suspend) == "pause")
        case .deciding: #expect(receive(.headForPolicies) == "decide")
        case .receiving: #expect(receive(.head) == "deliver")
        case .decidingOnFailure:
            #expect(receive(.head) == "deliver")
            #expect(receive(.failureForPolicies) == "decide")
        case .received:
            #expect(receive(.head) == "deliver")
            #expect(receive(.success) == "deliver")
        case .complete: #expect(receive(.complete) == "first cancel")
        case .sendingAgain, .redirected:
            #expect(receive(.headForPolicies) == "decide")
            #expect(sendAgain(because: .redirect) == 1)
            if start == .redirected { #expect(begin() == "start") }
        }
    }

    func begin() -> String {
        let isWanted = value.begin(
            FailedTransfer(AppError()), number: value.number, sending: .to("http://h/1"))
        #expect(isWanted)
        return calls()
    }

    func flow(isSinkFull: Bool) -> Flow {
        value.flowAfterPart(from: value.number, isSinkFull: isSinkFull)
    }

    func sendAgain(because cause: FollowUp.Cause) -> Int? {
        value.sendAgain(because: cause, after: value.number)?.next
    }

    func receive(
        _ event: ExchangeTests.Event, from other: Int? = nil, callsAfter made: Exchange.Call? = nil
    ) -> String {
        let number = other ?? value.number
        let result =
            switch event {
            case .resume: value.resume() ? "send" : ""
            case .suspend: does { $0.suspend() }
            case .sinkIsFull: does { $0.setSinkFull(true) }
            case .deliverParts:
                does { $0.deliverParts() }
            case .head: name(value.receiveHead(head, from: number, needsDecision: false))
            case .headForPolicies: name(value.receiveHead(head, from: number, needsDecision: true))
            case .bodyPart: value.takesBodyParts(from: number) ? "takes" : ""
            case .success:
                name(value.receiveCompletion(.success(Data()), from: number, needsDecision: false))
            case .failure:
                name(value.receiveCompletion(.failure(AppError(), nil), from: number, needsDecision: false))
            case .failureForPolicies:
                name(value.receiveCompletion(.failure(AppError(), nil), from: number, needsDecision: true))
            case .accept: value.acceptOutcome(of: number) ? "accepted" : ""
            case .sendAgain: value.sendAgain(because: .retry, after: number).map { "\($0.next)" } ?? ""
            case .complete: value.complete() ? "first" : ""
            }
        var texts = [result, calls(after: made)]
        if event == .deliverParts, let head = value.acceptedHead { texts.append("\(head.statusCode)") }
        return texts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func name(_ step: Exchange.Step) -> String {
        switch step {
        case .drop: "drop"
        case .decide: "decide"
        case .deliver: "deliver"
        }
    }

    private func does(_ change: (inout Exchange) -> Void) -> String {
        change(&value)
        return ""
    }

    /// The calls to the transfer that are due, as text.
    func calls(after last: Exchange.Call? = nil) -> String {
        var (texts, made): ([String], Exchange.Call?) = ([], last)
        while let call = value.nextCall(after: made) {
            switch call.kind {
            case .start(let inParts): texts.append(inParts ? "start with parts" : "start")
            case .deliverParts: texts.append("parts")
            case .setPause(.none): texts.append("resume")
            case .setPause(.receiving): texts.append("pause receiving")
            case .setPause(.all): texts.append("pause")
            case .cancel: texts.append("cancel")
            }
            made = call
        }
        return texts.joined(separator: " ")
    }
}
