import Swallow
import SwallowResources

/// GitHub's REST API.
enum GitHub {
    /// The service that sends every request. It sets the header fields and credentials.
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

/// The credentials of the user.
enum Credentials {
    case token(String)
    case basic(user: String, password: String)
}

/// Shows the user the message of GitHub's error body, `{"message": "Not Found", …}`.
struct GitHubMessage: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.mapError { error in
            var error = error
            if let message = error.json["message"].string {
                error.userMessage =
                    error.isNotFound ? "GitHub can't find this: \(message)." : "GitHub says: \(message)"
            }
            return error
        }
    }
}

// MARK: - Accounts

/// A user or an organization.
struct Account: Decodable, Identifiable, Sendable {
    let login: String
    let name: String?
    let bio: String?
    let location: String?
    let publicRepos: Int
    let followers: Int

    /// The API identifies an account by its login.
    var id: String { login }
}

/// `GET /users/NAME`
struct Accounts: Readable {
    typealias Model = Account
    let service: WebService
    let name: Request.Path = "users"
    var decoding: Decoding<Account> { .codable { $0.keyDecodingStrategy = .convertFromSnakeCase } }
}

// MARK: - Repositories

/// A GitHub repository.
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

/// `GET /users/NAME/repos`, in pages.
struct Projects: Readable {
    typealias Model = Project
    let service: WebService
    let name: Request.Path
    let decoding: Decoding<Project> = .project
    let pagination: Pagination = .link
}

/// `GET /search/repositories?q=…`, in pages of the form `{"total_count": …, "items": […]}`.
struct ProjectSearch: Readable {
    typealias Model = Project
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

// Endpoints that need no repository are functions of the service.
extension WebService {
    /// Requests a repository.
    func project(owner: String, name: String) -> ServiceTask {
        GET("/repos/\(owner)/\(name)")
    }

    /// Requests the latest issues of a repository.
    func issues(owner: String, name: String) -> ServiceTask {
        GET("/repos/\(owner)/\(name)/issues", parameters: ["per_page": 5])
    }
}

extension ServiceTask {
    /// Passes the repository of the response to a handler.
    @discardableResult
    func responseAsProject(_ handler: @escaping @MainActor (Project) throws -> Void) -> Self {
        responseDecoded(with: .project, handler)
    }
}
