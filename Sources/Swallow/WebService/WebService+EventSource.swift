extension WebService {
    /// Returns the server-sent events of an endpoint. After a connection ends, the event source connects again and
    /// sends `Last-Event-ID`.
    ///
    /// ```swift
    /// for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
    /// ```
    ///
    /// - Parameter request: Creates the task of each connection. The closure receives this service with
    ///   ``startTasksImmediately`` set to false, so nothing is sent before `Accept`, `Cache-Control` and
    ///   `Last-Event-ID` are added.
    public func eventSource(_ request: @escaping @Sendable (WebService) throws -> ServiceTask) -> EventSource
    {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return EventSource(clock: clock) { [service] in try request(service) }
    }
}
