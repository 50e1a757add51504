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
