import Swallow

/// GitHub's REST API.
enum GitHub {
    /// The service that every request goes through: headers and credentials are said once, here.
    static func service(url: String, credentials: Credentials?) -> WebService {
        var service = WebService(baseURLString: url)
        service.configure { configuration in
            configuration.headers[.accept] = "application/vnd.github+json"
            configuration.headers[.userAgent] = "Swallow-GitHubBrowser"
            configuration.headers["X-GitHub-Api-Version"] = "2022-11-28"
            configuration.headers[.authorization] = credentials?.authorization
            configuration.timeout = .seconds(15)
            configuration.pipeline[.cleanup].add(GitHubMessage())
        }
        return service
    }
}
