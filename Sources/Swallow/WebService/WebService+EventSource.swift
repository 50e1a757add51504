extension WebService {
    /// Returns the server-sent events of an endpoint. For each connection, the event source calls `request` with a copy
    /// of this service that doesn't start its tasks.
    public func eventSource(_ request: @escaping @Sendable (WebService) throws -> ServiceTask) -> EventSource
    {
        EventSource(clock: clock) { [unstarted] in try request(unstarted) }
    }
}
