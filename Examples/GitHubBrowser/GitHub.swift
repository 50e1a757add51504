import Foundation
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

/// Who asks.
enum Credentials {
    case token(String)
    case basic(user: String, password: String)

    /// The value of the `Authorization` header (RFC 6750 §2.1, RFC 7617 §2).
    var authorization: String {
        switch self {
        case .token(let token): "Bearer \(token)"
        case .basic(let user, let password):
            "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        }
    }
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
