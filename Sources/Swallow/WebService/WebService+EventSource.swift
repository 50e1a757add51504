extension WebService {
    /// Returns the server-sent events of an endpoint. After a connection ends, the event source connects again.
    ///
    /// - Parameter request: Creates the task of each connection. The closure receives this service with
    ///   ``startTasksImmediately`` set to false.
    public func eventSource(_ request: @escaping @Sendable (WebService) throws -> ServiceTask) -> EventSource
    {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        return EventSource(clock: clock) { [service] in try request(service) }
    }
}
