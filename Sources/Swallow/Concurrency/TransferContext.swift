import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

package struct TransferContext: Sendable {
    package var clock: (any ServiceClock)?
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    package var caller: Caller?
    /// The names of the fields that the app's own authenticator has set. Their values must not be recorded.
    package var secretFields: [String] = []
    package var redirects: RedirectOverride?

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty && redirects == nil
    }

    @TaskLocal package static var current = TransferContext()

    package static var currentClock: any ServiceClock { current.clock ?? .system }

    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var context = current
        context.clock = clock
        return $current.withValue(context, operation: body)
    }
}
