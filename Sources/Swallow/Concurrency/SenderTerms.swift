import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task-local context that a service gives its data source where a data task is made or resumed: the data source
/// itself gets requests, and knows of no service and no task.
package struct SenderTerms: Sendable {
    /// The service's clock; nil for the system's.
    package var clock: (any ServiceClock)?
    /// Prepares a request that follows a redirect: makes its `Authorization` anew, and removes validators of another URL's
    /// response. Nil where nothing need change.
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    /// The code that started the service's task; nil where that isn't kept.
    package var caller: Caller?
    /// The names of the fields that an authenticator of the app's own has set: their values must not be recorded.
    package var secretFields: [String] = []
    /// The request's own redirect policy, for the data source that follows the redirects.
    package var redirects: RedirectOverride?

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty && redirects == nil
    }

    @TaskLocal package static var current = SenderTerms()

    /// The clock of the service for which a data task is being made or resumed.
    package static var currentClock: any ServiceClock { current.clock ?? .system }

    /// Runs a closure that makes or resumes a data task, with a service's clock.
    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var terms = current
        terms.clock = clock
        return $current.withValue(terms, operation: body)
    }
}
