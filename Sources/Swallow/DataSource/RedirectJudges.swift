import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RedirectPolicy: Judge {
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        guard case .head(let head) = finding, Self.isRedirect(head.statusCode), !exchange.isAccepted,
            let request = exchange.request
        else { return nil }
        do {
            let next = try self.request(
                after: head.response, to: request, count: exchange.redirects.count)
            return next.map { .again(Exchange.Again(cause: .redirect, request: $0)) }
        } catch {
            return .fail(error)
        }
    }
}

/// Fails a response if its data source hasn't applied the request's redirect policy.
struct RedirectOverrideJudge: Judge {
    let override: RedirectOverride

    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        guard case .head = finding, !exchange.isAccepted, !override.wasTaken else { return nil }
        return .fail(RedirectOverride.refusal)
    }
}
