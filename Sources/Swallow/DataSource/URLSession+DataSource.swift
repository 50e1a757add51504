import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any session that an app already has, with its own configuration, delegate and rules.
extension URLSession: SessionDataTaskDataSource {
    /// Returns a task of this session that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        dataTask(with: request, completionHandler: completion)
    }
}
