import Testing

@testable import Swallow

@Suite("Which rejections mean that a credential is no longer valid")
struct CredentialRejectionTests {
    private typealias Endpoint = CredentialRejections.Endpoint

    enum Step: Sendable {
        /// A request to an endpoint. Requests are numbered, starting at 1.
        case sent(String)
        /// A request of a task whose earlier request was rejected.
        case sentAgain(String, after: Int)
        case accepted(Int)
        case rejected(Int, CredentialRejections.Decision)
        /// A new credential arrives.
        case refreshed
        /// The app sets a credential.
        case set
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]

        init(_ description: String, _ steps: Step...) {
            (testDescription, self.steps) = (description, steps)
        }
    }

    static let expiry = [
        Example(
            "each expiry counts, by one endpoint",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sentAgain("X", after: 1), .accepted(2),
            .sent("X"), .rejected(3, .rejected), .refreshed,
            .sentAgain("X", after: 3), .accepted(4)),
        Example(
            "each expiry counts once, by two endpoints",
            .sent("X"), .sent("Y"), .rejected(1, .rejected), .rejected(2, .again), .refreshed,
            .sentAgain("X", after: 1), .sentAgain("Y", after: 2), .accepted(3), .accepted(4),
            .sent("X"), .sent("Y"), .rejected(6, .rejected), .rejected(5, .again), .refreshed),
        Example(
            "an endpoint whose request with the new credential was lost counts after another endpoint's expiry",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sent("Y"), .rejected(2, .rejected), .refreshed,
            .sent("X"), .rejected(3, .rejected)),
        Example(
            "an endpoint whose request with the new credential was lost counts when that credential expires",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sent("X"), .rejected(2, .rejected), .refreshed,
            .sentAgain("X", after: 2), .accepted(3)),
        Example(
            "a late rejection of a replaced credential doesn't count",
            .sent("X"), .sent("Y"), .rejected(1, .rejected), .refreshed, .rejected(2, .again),
            .sentAgain("Y", after: 2), .accepted(3)),
        Example(
            "a credential that is revoked after it was accepted counts",
            .sent("X"), .sent("X"), .rejected(1, .rejected), .rejected(2, .again), .refreshed,
            .sentAgain("X", after: 1), .sentAgain("X", after: 2), .accepted(3), .rejected(4, .rejected)),
    ]

    static let storms = [
        Example(
            "an endpoint that rejects a valid credential counts once",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sentAgain("X", after: 1), .rejected(2, .final),
            .sent("Y"), .accepted(3),
            .sent("X"), .rejected(4, .final),
            .sent("X"), .rejected(5, .final)),
        Example(
            "two endpoints that reject valid credentials count once each",
            .sent("X"), .rejected(1, .rejected), .refreshed, .sentAgain("X", after: 1), .rejected(2, .final),
            .sent("Y"), .rejected(3, .rejected), .refreshed, .sentAgain("Y", after: 3), .rejected(4, .final),
            .sent("X"), .rejected(5, .final), .sent("Y"), .rejected(6, .final),
            .sent("Z"), .rejected(7, .rejected), .refreshed,
            .sent("X"), .rejected(8, .final), .sent("Y"), .rejected(9, .final)),
        Example(
            "the endpoint counts again after it accepted a credential",
            .sent("X"), .rejected(1, .rejected), .refreshed, .sentAgain("X", after: 1), .rejected(2, .final),
            .sent("X"), .accepted(3), .sent("X"), .rejected(4, .rejected)),
        Example(
            "a late acceptance of the rejected credential doesn't make the endpoint count",
            .sent("X"), .sent("X"), .rejected(2, .rejected), .accepted(1), .refreshed, .accepted(1),
            .sentAgain("X", after: 2), .rejected(3, .final)),
        Example(
            "the endpoint counts again after the app set a credential",
            .sent("X"), .rejected(1, .rejected), .refreshed, .sentAgain("X", after: 1), .rejected(2, .final),
            .set, .sent("X"), .rejected(3, .rejected)),
        Example(
            "a task whose credential is about to be replaced is sent again",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sentAgain("X", after: 1), .sent("Y"), .rejected(3, .rejected), .rejected(2, .again)),
    ]

    static let contradictions = [
        Example(
            "a request that was sent later and accepted contradicts a rejection",
            .sent("X"), .sent("Y"), .accepted(2), .rejected(1, .again),
            .sentAgain("X", after: 1), .rejected(3, .rejected)),
        Example(
            "a request that was sent earlier and accepted doesn't",
            .sent("Y"), .sent("X"), .accepted(1), .rejected(2, .rejected)),
        Example(
            "a second rejection of the same credential counts, because an endpoint that accepts may ignore credentials",
            .sent("X"), .sent("Y"), .accepted(2), .rejected(1, .again),
            .sentAgain("X", after: 1), .sent("Y"), .accepted(4), .rejected(3, .rejected), .refreshed,
            .sentAgain("X", after: 3), .rejected(5, .final), .sent("X"), .rejected(6, .final)),
        Example(
            "a task sends each credential twice",
            .sent("X"), .rejected(1, .rejected), .refreshed,
            .sentAgain("Y", after: 1), .sent("Z"), .accepted(3), .rejected(2, .again)),
        Example(
            "the acceptance of a replaced credential contradicts nothing",
            .sent("X"), .sent("Y"), .rejected(1, .rejected), .refreshed, .accepted(2),
            .sent("Z"), .rejected(3, .rejected)),
    ]

    @Test(
        "The endpoint, the order of requests and earlier acceptances decide about a rejection",
        arguments: expiry + storms + contradictions)
    func decisions(_ example: Example) {
        var rejections = CredentialRejections()
        _ = rejections.replaceCredential(isRefreshed: false)
        var sent: [(use: Int, earlierUse: Int, endpoint: Endpoint)] = []
        for (index, step) in example.steps.enumerated() {
            switch step {
            case .sent(let name): sent.append((rejections.use(), 0, Endpoint(method: "GET", location: name)))
            case .sentAgain(let name, let earlier):
                let endpoint = Endpoint(method: "GET", location: name)
                sent.append((rejections.use(), sent[earlier - 1].use, endpoint))
            case .accepted(let number):
                rejections.accept(sent[number - 1].use, by: sent[number - 1].endpoint)
            case .rejected(let number, let expected):
                let (use, earlierUse, endpoint) = sent[number - 1]
                let decision = rejections.reject(use, after: earlierUse, by: endpoint)
                #expect(decision == expected, "step \(index + 1)")
            case .refreshed: _ = rejections.replaceCredential(isRefreshed: true)
            case .set: _ = rejections.replaceCredential(isRefreshed: false)
            }
        }
    }

    /// Makes an endpoint reject two credentials in a row.
    private func rejectTwice(_ rejections: inout CredentialRejections, _ endpoint: Endpoint) {
        let use = rejections.use()
        #expect(rejections.reject(use, by: endpoint) == .rejected)
        _ = rejections.replaceCredential(isRefreshed: true)
        #expect(rejections.reject(rejections.use(), after: use, by: endpoint) == .final)
    }

    @Test("A limited number of endpoints is stored, and the oldest one is removed first")
    func limit() {
        var rejections = CredentialRejections()
        let endpoints = (0...CredentialRejections.endpointLimit).map {
            Endpoint(method: "GET", location: "\($0)")
        }
        for endpoint in endpoints.dropLast() { rejectTwice(&rejections, endpoint) }
        for endpoint in endpoints.dropLast() {
            #expect(rejections.reject(rejections.use(), by: endpoint) == .final)
        }
        rejectTwice(&rejections, endpoints[endpoints.count - 1])
        #expect(rejections.reject(rejections.use(), by: endpoints[1]) == .final)
        #expect(rejections.reject(rejections.use(), by: endpoints[0]) == .rejected)
    }

    @Test("An endpoint is a method and a URL without user info and query")
    func endpoint() throws {
        let endpoint = try Endpoint(sampleRequest("http://ann:pw@service.test/a?b=1"))
        #expect(endpoint == Endpoint(method: "GET", location: "http://service.test/a"))
        #expect(try endpoint == Endpoint(sampleRequest("http://service.test/a?c#d")))
        #expect(try endpoint != Endpoint(sampleRequest("http://service.test/a", method: "POST")))
        #expect(try endpoint != Endpoint(sampleRequest("http://other.test/a")))
    }
}
