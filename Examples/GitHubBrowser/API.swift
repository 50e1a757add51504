import Swallow
import SwallowResources

/// GitHub's REST API.
enum GitHub {
    /// The service that every request goes through: headers and credentials are said once, here.
    static func service(url: String, credentials: Credentials?) -> WebService {
        var service = WebService(baseURLString: url)
        service.configure { configuration in
            configuration.headers[.accept] = "application/vnd.github+json"
            configuration.headers[.userAgent] = "Swallow-GitHubBrowser"
            configuration.headers["X-GitHub-Api-Version"] = "2022-11-28"
            switch credentials {
            case .token(let token)?: configuration.headers[.authorization] = "Bearer \(token)"
            case .basic(let user, let password)?: configuration.authenticator = .basic(user, password)
            case nil: break
            }
            configuration.timeout = .seconds(15)
            configuration.pipeline[.cleanup].add(GitHubMessage())
        }
        return service
    }
}

/// Who asks.
enum Credentials {
    case token(String)
    case basic(user: String, password: String)
}

/// Turns GitHub's error bodies, `{"message": "Not Found", …}`, into words for the user.
struct GitHubMessage: ResponseTransformer {
    func process(_ response: Response) -> Response {
        guard case .failure(var error) = response, let message = error.json["message"].string else {
            return response
        }
        error.userMessage =
            error.isNotFound ? "GitHub does not know this: \(message)." : "GitHub says: \(message)"
        return .failure(error)
    }
}

// MARK: - Accounts

/// A user, or an organisation.
struct Account: Decodable, Identifiable, Sendable {
    let login: String
    let name: String?
    let bio: String?
    let location: String?
    let publicRepos: Int
    let followers: Int

    /// What the API finds accounts by.
    var id: String { login }
}

/// `GET /users/NAME`
struct Accounts: Readable {
    typealias Entity = Account
    let service: WebService
    let name: Request.Path = "users"
    var decoding: Decoding<Account> { .codable { $0.keyDecodingStrategy = .convertFromSnakeCase } }
}

// MARK: - Repositories

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
