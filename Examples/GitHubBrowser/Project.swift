import Swallow

/// A repository, in GitHub's sense.
struct Project: Equatable, Sendable {
    let fullName: String
    let description: String?
    let language: String?
    let stars: Int
}

extension Decoding where Value == Project {
    static var project: Self {
        Decoding(
            Project.init,
            .required("full_name", .string),
            .optional("description", .string),
            .optional("language", .string),
            .required("stargazers_count", .int))
    }
}

/// `GET /users/NAME/repos`, by pages
struct Projects: Readable {
    typealias Entity = Project
    let service: WebService
    let name: Request.Path
    let decoding: Decoding<Project> = .project
    let pagination: Pagination = .link
}

/// `GET /search/repositories?q=…`, by pages, each `{"total_count": …, "items": […]}`
struct ProjectSearch: Readable {
    typealias Entity = Project
    let service: WebService
    let name: Request.Path = "search/repositories"
    let decoding: Decoding<Project> = .project
    let envelope: Envelope = .at(list: "items")
    let pagination: Pagination = .link
}

extension Account {
    func projects(in service: WebService) -> Projects {
        Projects(service: service, name: "users/\(login)/repos")
    }
}

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
