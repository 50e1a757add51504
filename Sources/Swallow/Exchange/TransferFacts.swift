/// The metrics and trailers are available after the completion.
package struct TransferFacts: Sendable {
    package var progress: TransferProgress
    package var metrics: TransferMetrics?
    package var trailers: Headers

    package init(
        progress: TransferProgress = TransferProgress(), metrics: TransferMetrics? = nil,
        trailers: Headers = [:]
    ) {
        (self.progress, self.metrics, self.trailers) = (progress, metrics, trailers)
    }

    var isEmpty: Bool { progress == TransferProgress() && metrics == nil && trailers.isEmpty }
}
