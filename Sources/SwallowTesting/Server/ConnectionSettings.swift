package struct ConnectionSettings: Sendable {
    package enum Responder: Sendable {
        /// The closure runs on the connection's thread, which it may block.
        case blocking(@Sendable (TestServer.Request) -> TestServer.Response)
        case asynchronous(TestServer.Handler)
    }

    let responder: Responder
    /// Called before the body is read. Returns `nil` for an ordinary request, whose body is read before the response.
    let bodyReply: @Sendable (TestServer.Request) -> BodyReply?
    let recordsRequests: Bool
    let requestsPerConnection: Int

    package init(
        responder: Responder,
        bodyReply: @escaping @Sendable (TestServer.Request) -> BodyReply? = { _ in nil },
        recordsRequests: Bool = true, requestsPerConnection: Int = .max
    ) {
        (self.responder, self.bodyReply) = (responder, bodyReply)
        (self.recordsRequests, self.requestsPerConnection) = (recordsRequests, requestsPerConnection)
    }
}
