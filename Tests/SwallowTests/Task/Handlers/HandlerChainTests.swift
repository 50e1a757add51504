import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The steps of a handler chain")
struct HandlerChainTests {
    private let queue = DispatchQueue(label: "queue")

    private func content() throws -> PipelineAdapter {
        let url = try #require(URL(string: "http://service.test"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let received = ReceivedResponse(
            head: ResponseHead(response), data: Data("[1]".utf8), timestamp: Date())
        return PipelineAdapter(.received(received), PipelinePlan(Pipeline()))
    }

    private func link(_ ran: Recorder<String>) -> HandlerLink {
        HandlerLink(
            queue, .json,
            onSuccess: { _ in
                ran.append("success")
                return nil
            },
            onFailure: { error in
                ran.append("\(error.reason)")
                return nil
            })
    }

    @Test("A failure during the parse takes precedence over the parse's result")
    func failureDuringPreparation() throws {
        let ran = Recorder<String>()
        var chain = HandlerChain()
        chain.attach(link(ran))
        chain.outcome.complete(with: try content())
        guard case .prepare(let content, .json) = chain.firstStep(on: .queue(queue)) else {
            Issue.record("the content is not prepared on the handler's queue")
            return
        }
        chain.outcome.fail(with: ServiceError(.cancelled))
        chain.outcome.replaceAdapter(with: content.prepared(for: .json))
        guard case .fail(_, let error) = chain.nextStep(on: .queue(queue)) else {
            Issue.record("the handler doesn't get the failure")
            return
        }
        #expect(error.reason == .cancelled)
    }

    @Test("If an await is detached before it takes its turn, the chain continues with the next handler")
    func lateHandOver() throws {
        let ran = Recorder<String>()
        var chain = HandlerChain()
        let ticket = chain.nextTicket()
        chain.attach(
            HandlerLink(.parsing, .json, ticket: ticket, resumeAwait: { false }, onSuccess: { _ in nil }))
        chain.attach(link(ran))
        chain.outcome.complete(with: try content())
        guard case .handOver(ticket, _) = chain.firstStep(on: nil) else {
            Issue.record("the await doesn't get its turn")
            return
        }
        _ = chain.detach(ticket)
        guard case .move(to: let next) = chain.nextStep(on: .awaiter(ticket)) else {
            Issue.record("the chain stops")
            return
        }
        #expect(next === queue)
    }

    @Test("Content that was prepared for one handler is reused for the handlers after it")
    func preparedOnce() throws {
        let ran = Recorder<String>()
        var chain = HandlerChain()
        chain.attach(link(ran))
        chain.attach(link(ran))
        chain.outcome.complete(with: try content())
        guard case .prepare(let content, _) = chain.firstStep(on: .queue(queue)) else { return }
        chain.outcome.replaceAdapter(with: content.prepared(for: .json))
        for _ in 0..<2 {
            guard case .succeed = chain.nextStep(on: .queue(queue)) else {
                Issue.record("the content is prepared again")
                return
            }
        }
        guard case .idle = chain.nextStep(on: .queue(queue)) else {
            Issue.record("the chain goes on")
            return
        }
        #expect(chain.isFinished)
    }

    @Test("A chain starts once, after its transfer has completed")
    func startsOnce() throws {
        var chain = HandlerChain()
        chain.attach(link(Recorder()))
        let early = isIdle(chain.firstStep(on: nil))
        chain.outcome.complete(with: try content())
        let first = isIdle(chain.firstStep(on: nil))
        let again = isIdle(chain.firstStep(on: nil))
        #expect(early && !first && again)
    }

    private func isIdle(_ step: HandlerChain.Step) -> Bool { if case .idle = step { true } else { false } }
}
