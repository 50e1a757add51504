import Foundation

@available(
    *, unavailable, message: "Services create requests. Write service.request(.GET, path: \"/stores\")."
)
extension Request {
    /// Unavailable. Services create requests.
    public init(
        _ method: Method, _ path: Path, parameters: Parameters = [:], options: [Option] = []
    ) {
        self.init(method, baseURLString: "", path: path, parameters: parameters, options: options)
    }

    /// Unavailable. Services create requests.
    public init(
        method: Method = .GET, path: Path, parameters: Parameters = [:], options: [Option] = []
    ) {
        self.init(method, baseURLString: "", path: path, parameters: parameters, options: options)
    }

    /// Unavailable. Services create requests.
    public init(
        path: Path, method: Method, parameters: Parameters = [:], options: [Option] = []
    ) {
        self.init(method, baseURLString: "", path: path, parameters: parameters, options: options)
    }
}

extension Request {
    /// Unavailable. Services create requests.
    @available(*, unavailable, message: "Services create requests. Write service.GET(url).")
    public init(url: URL, method: Method = .GET) {
        self.init(method, baseURLString: "", path: Path(url))
    }
}
