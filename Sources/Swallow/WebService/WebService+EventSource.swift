extension WebService {
    /// The events of an endpoint, over as many connections as it takes: one is made again where it ends, with `Last-Event-ID`.
    ///
    /// ```swift
    /// for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
    /// ```
    ///
    /// - Parameter request: runs for each connection. It gets this service with ``startTasksImmediately`` off, so nothing
    ///   is sent before. `Accept`, `Cache-Control` and `Last-Event-ID` are added to what it sends.
    public func eventSource(_ request: @escaping @Sendable (WebService) throws -> ServiceTask) -> EventSource
    {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return EventSource(clock: clock) { [service] in try request(service) }
    }
}
