import Swallow

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
