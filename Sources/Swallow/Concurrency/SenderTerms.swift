import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The task-local context that a service provides when its data task is created or resumed. The data source itself
/// receives only requests, and knows neither services nor tasks.
package struct SenderTerms: Sendable {
    /// The service's clock, or `nil` for the system's clock.
    package var clock: (any ServiceClock)?
    /// Prepares a request that follows a redirect. It sets `Authorization` again, and removes validators of another
    /// URL's response. It is `nil` if no change is needed.
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    /// The code that started the service's task, or `nil` if it isn't needed.
    package var caller: Caller?
    /// The names of the fields that the app's own authenticator has set. Their values must not be recorded.
    package var secretFields: [String] = []
    /// The request's own redirect policy, for the data source that follows the redirects.
    package var redirects: RedirectOverride?

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty && redirects == nil
    }

    @TaskLocal package static var current = SenderTerms()

    /// The clock of the service for which a data task is being made or resumed.
    package static var currentClock: any ServiceClock { current.clock ?? .system }

    /// Runs a closure that creates or resumes a data task, with a service's clock.
    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var terms = current
        terms.clock = clock
        return $current.withValue(terms, operation: body)
    }
}
