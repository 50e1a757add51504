import Foundation

extension ServiceError.Reason {
    var name: String {
        switch self {
        case .transport: "transport"
        case .contentMismatch(let expected, let actual):
            "contentMismatch (expected \(expected), got \(actual))"
        default: "\(self)"
        }
    }

    func words(of underlying: (any Error)?) -> String? {
        switch (underlying, self) {
        case (let error as URLError, _), (nil, .transport(let error)):
            "\(error.words ?? Self.userMessage(for: error)) (URLError \(error.code.rawValue))"
        case (let error?, _): error.systemText
        case (nil, _): nil
        }
    }

    func userMessage(statusCode: Int?, underlying: (any Error)?) -> String {
        switch self {
        case .invalidURL: "The address of the request is not valid."
        case .invalidRequest: "The request could not be sent."
        case .transport(let error): Self.userMessage(for: error, underlying)
        case .cancelled: "The request was cancelled."
        case .timedOut: "The server took too long to respond."
        case .invalidResponse: "The server's response could not be understood."
        case .unacceptableStatus: Self.userMessage(forStatus: statusCode)
        case .emptyBody: "The server's response was empty."
        case .unparsable, .undecodable, .contentMismatch, .noOutput:
            "The server's response was not in the expected format."
        case .notCached: "This content isn't available offline."
        case .authentication: Self.userMessage(forAuthentication: underlying)
        case .thrown: (underlying as? any LocalizedError)?.errorDescription ?? "Something went wrong."
        }
    }

    private static func userMessage(forAuthentication underlying: (any Error)?) -> String {
        switch underlying {
        case let error as URLError: userMessage(for: error)
        case let error as ServiceError where error.isRetryable || error.reason == .thrown: error.userMessage
        case let error as ServiceError: error.ownUserMessage ?? "You could not be signed in."
        case let error?: (error as? any LocalizedError)?.errorDescription ?? "You could not be signed in."
        case nil: "You could not be signed in."
        }
    }

    private static func userMessage(for error: URLError, _ underlying: (any Error)? = nil) -> String {
        switch error.code {
        case .notConnectedToInternet: "There is no connection to the internet."
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed: "The server could not be reached."
        case .networkConnectionLost: "The connection to the server was lost."
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
            "A secure connection to the server could not be established."
        case .clientCertificateRequired: "The server requires a certificate that this device doesn't have."
        case .httpTooManyRedirects: "The server redirected the request too many times."
        case .cannotCreateFile, .cannotWriteToFile, .cannotMoveFile:
            userMessage(forFile: (underlying as? POSIXError)?.code)
        default: "The request could not be completed."
        }
    }

    private static func userMessage(forFile code: POSIXErrorCode?) -> String {
        switch code {
        case .ENOSPC, .EDQUOT: "There is no space left to save the file."
        case .EFBIG: "The file is too large to be saved."
        case .EACCES, .EPERM, .EROFS: "The file can't be saved because its folder can't be written to."
        case .ENOENT, .ENOTDIR: "The file can't be saved because its folder doesn't exist."
        default: "The file could not be saved."
        }
    }

    private static func userMessage(forStatus code: Int?) -> String {
        switch code {
        case 401: "You need to sign in."
        case 403: "You are not allowed to do this."
        case 404, 410: "This could not be found."
        case 408, 504: "The server took too long to respond."
        case 429: "There were too many requests. Try again later."
        case let code? where (500..<600).contains(code): "The server has a problem. Try again later."
        case .some(let code): "The server declined the request (status \(code))."
        case nil: "The server declined the request."
        }
    }
}

extension ServiceError {
    init(
        thrown error: any Error, detail: String? = nil, request: Request? = nil,
        response: HTTPURLResponse? = nil, entity: Entity<any Sendable>? = nil
    ) {
        let reason: Reason
        switch error {
        case var error as ServiceError:
            error.request = error.request ?? request
            error.response = error.response ?? response
            error.entity = error.entity ?? entity
            self = error
            return
        case is CancellationError: reason = .cancelled
        case let failure as DecodingFailure: reason = failure.isUnparsable ? .unparsable : .undecodable
        case is DecodingError: reason = .undecodable
        case is JSONError: reason = .unparsable
        default: reason = .thrown
        }
        self.init(
            reason, detail: detail, request: request, response: response, entity: entity, underlying: error)
    }

    init(transport error: any Error, request: Request?, response: HTTPURLResponse? = nil) {
        if error is ServiceError || error is CancellationError {
            self.init(thrown: error, request: request, response: response)
            return
        }
        let urlError = error as? URLError ?? Self.urlError(error)
        let reason: Reason =
            switch urlError.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            default: .transport(urlError)
            }
        self.init(reason, request: request, response: response, underlying: error)
    }

    init(authenticating error: any Error) {
        if let error = error as? ServiceError, error.reason == .authentication, error.request == nil {
            self = error
        } else {
            let isCancellation = Self(authenticationFailure: error).isCancelled
            self.init(isCancellation ? .cancelled : .authentication, underlying: error)
        }
    }

    private init(authenticationFailure error: any Error) {
        if error is URLError {
            self.init(transport: error, request: nil)
        } else {
            self.init(thrown: error)
        }
    }

    var authenticationFailure: ServiceError? {
        guard reason == .authentication, let underlying else { return nil }
        return ServiceError(authenticationFailure: underlying)
    }

    func adding(detail: String) -> ServiceError {
        var error = self
        error.detail = [self.detail, detail].compactMap { $0 }.joined(separator: "; ")
        return error
    }

    static func invalidRequest(_ detail: String, underlying: (any Error)? = nil) -> ServiceError {
        ServiceError(.invalidRequest, detail: detail, underlying: underlying)
    }

    static func notCached(_ request: Request) -> ServiceError {
        ServiceError(.notCached, detail: "no cache has the response", request: request)
    }

    func after(_ attempts: Int) -> ServiceError {
        if attempts <= self.attempts { return self }
        var error = self
        error.attempts = attempts
        return error
    }

    func with(_ request: Request) -> ServiceError {
        var error = self
        error.request = error.request ?? request
        return error
    }

    func with(_ entity: Entity<any Sendable>) -> ServiceError {
        var error = self
        error.entity = error.entity ?? entity
        return error
    }

    private static func urlError(_ error: any Error) -> URLError {
        let error = error as NSError
        // The initializer is failable only on Linux.
        let code: URLError.Code? =
            error.domain == NSURLErrorDomain ? URLError.Code(rawValue: error.code) : nil
        return URLError(code ?? .unknown, userInfo: [NSUnderlyingErrorKey: error])
    }
}

extension URLError {
    fileprivate var words: String? {
        if let text = userInfo[NSLocalizedDescriptionKey] as? String { return text }
        return (userInfo[NSUnderlyingErrorKey] as? any Error)?.systemText
    }
}

extension Error {
    fileprivate var systemText: String? {
        self is POSIXError || self is CocoaError || type(of: self) == NSError.self
            ? localizedDescription : nil
    }
}
