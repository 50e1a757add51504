import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a data source may know of whom it works for, where a data task is made or resumed: it gets requests, and knows of no
/// service and no task.
package struct SenderTerms: Sendable {
    /// Nil stands for the system's.
    package var clock: (any ServiceClock)?
    /// Prepares a request that follows a redirect: makes its `Authorization` anew, and removes validators of another URL's
    /// response. Nil where nothing need change.
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    /// Who has started the service's task; nil where that isn't kept.
    package var caller: Caller?
    /// The names of the fields that an authenticator of the app's own has set: their values are for no recording.
    package var secretFields: [String] = []

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty
    }

    @TaskLocal package static var current = SenderTerms()

    /// The clock to go by where a data task is made, or resumed.
    package static var currentClock: any ServiceClock { current.clock ?? .system }

    /// Makes or resumes a data task for a service.
    ///
    /// - Parameter clock: the service's, where it isn't the system's.
    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var terms = current
        terms.clock = clock
        return $current.withValue(terms, operation: body)
    }
}
