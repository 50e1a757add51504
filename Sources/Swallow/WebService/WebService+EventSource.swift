extension WebService {
    /// The events of an endpoint. When a connection ends, it is made again, with `Last-Event-ID`.
    ///
    /// ```swift
    /// for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
    /// ```
    ///
    /// - Parameter request: makes the task of each connection. It gets this service with ``startTasksImmediately`` off,
    ///   so that nothing is sent before `Accept`, `Cache-Control` and `Last-Event-ID` are added.
    public func eventSource(_ request: @escaping @Sendable (WebService) throws -> ServiceTask) -> EventSource
    {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return EventSource(clock: clock) { [service] in try request(service) }
    }
}
