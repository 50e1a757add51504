import Swallow

// The same API as extensions and chains, where a repository would say no more.
extension WebService {
    /// One repository.
    func project(owner: String, name: String) -> ServiceTask {
        GET("/repos/\(owner)/\(name)")
    }

    /// Its latest issues.
    func issues(owner: String, name: String) -> ServiceTask {
        GET("/repos/\(owner)/\(name)/issues", parameters: ["per_page": 5])
    }
}

extension ServiceTask {
    /// Hands a repository to the handler.
    @discardableResult
    func responseAsProject(_ handler: @escaping @MainActor (Project) throws -> Void) -> Self {
        responseDecoded(with: .project, handler)
    }
}
