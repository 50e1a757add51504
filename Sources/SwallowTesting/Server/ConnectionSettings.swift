/// The settings of a server that each of its connections uses.
package struct ConnectionSettings: Sendable {
    package enum Responder: Sendable {
        /// Called on the thread of the connection, which it may block.
        case blocking(@Sendable (TestServer.Request) -> TestServer.Response)
        case asynchronous(TestServer.Handler)
    }

    let responder: Responder
    /// Called first, without the body. Chooses requests whose body is read in pieces, or isn't read.
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
