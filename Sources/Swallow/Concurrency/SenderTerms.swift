import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The task-local context that a service provides to its data source when a data task is created or resumed.
package struct SenderTerms: Sendable {
    package var clock: (any ServiceClock)?
    /// Sets `Authorization` again after a redirect, and removes validators of another URL's response.
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    package var caller: Caller?
    /// The names of the fields that the app's own authenticator has set. Their values must not be recorded.
    package var secretFields: [String] = []
    package var redirects: RedirectOverride?

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty && redirects == nil
    }

    @TaskLocal package static var current = SenderTerms()

    package static var currentClock: any ServiceClock { current.clock ?? .system }

    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var terms = current
        terms.clock = clock
        return $current.withValue(terms, operation: body)
    }
}
