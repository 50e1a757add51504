import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Redirects, whatever the transport")
struct RedirectContractTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test(
        "A chain is followed to its end, and the response has the last URL", arguments: Contestant.transports)
    func chain(contestant: Contestant) async throws {
        let outcome = try await server.get("/redirect/4", contestant.source())
        #expect(outcome.json["path"] == "/echo")
        #expect(outcome.response?.url?.path == "/echo")
        #expect(server.requests.count == 5)
    }

    @Test(
        "Methods and bodies change as RFC 9110 has it", arguments: Contestant.transports,
        [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func methods(contestant: Contestant, rule: (status: Int, method: String)) async throws {
        let request = try server.request("/redirect-to?url=/echo&status=\(rule.status)", "POST", body: "a=b")
        let json = await server.send(request, contestant.source()).json
        #expect(json["method"].string == rule.method)
        #expect(json["body"].string == (rule.method == "POST" ? "a=b" : ""))
    }

    @Test("A stream's body goes on with a 307", arguments: Contestant.transports)
    func stream(contestant: Contestant) async throws {
        guard contestant != .urlSession else { return }
        var request = try server.request("/redirect-to?url=/echo&status=307", "POST")
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        #expect(await server.send(request, contestant.source()).json["body"] == "streamed")
    }

    @Test("Credentials stay with their origin", arguments: Contestant.transports)
    func foreign(contestant: Contestant) async throws {
        let other = try LoopbackServer()
        var request = try server.request("/redirect-to?url=\(other.baseURLString)/echo")
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        request.setValue("de", forHTTPHeaderField: "Accept-Language")
        let headers = await server.send(request, contestant.source()).json["headers"]
        #expect(!headers["authorization"].exists)
        #expect(headers["accept-language"] == "de")
    }

    @Test(
        "Relative references are resolved by RFC 3986", arguments: Contestant.transports,
        ["/echo", "../echo", "//HOST/echo", "./../a/../echo", "HOME/echo"])
    func relative(contestant: Contestant, location: String) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/echo" { return .respond(.text("arrived")) }
            let location = location.replacing("HOST", with: "127.0.0.1:\(request.port)")
                .replacing("HOME", with: "http://127.0.0.1:\(request.port)")
            return .respond(.redirect(to: location))
        }
        #expect(try await server.get("/a/b", contestant.source()).text == "arrived")
    }

    @Test("One more than the limit is an error, and none is a response", arguments: Contestant.transports)
    func limits(contestant: Contestant) async throws {
        let two = contestant.source(redirects: .follow(max: 2))
        #expect(try await server.get("/redirect/2", two).json["path"] == "/echo")
        #expect(try await server.get("/redirect/3", two).code == .httpTooManyRedirects)
        let none = contestant.source(redirects: .doNotFollow)
        #expect(try await server.get("/redirect/1", none).response?.statusCode == 302)
    }

    @Test("Two locations are an error (RFC 9110 §10.2.2)", arguments: Contestant.transports)
    func ambiguous(contestant: Contestant) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackServer.Response.redirect(to: "/a")
            response.headers.append(("Location", "/b"))
            return .respond(response)
        }
        #expect(try await server.get("/", contestant.source()).code == .badServerResponse)
        #expect(server.requests.count == 1)
        let none = contestant.source(redirects: .doNotFollow)
        #expect(try await server.get("/", none).response?.statusCode == 302)
    }

    // On Linux, URLSession reports a redirect only after its body.
    #if os(Linux) && canImport(Glibc)
        @Test("A redirect is decided at its head, and a body that doesn't end is dropped")
        func atTheHead() async throws {
            let server = try LoopbackServer { request in
                if request.path == "/echo" { return .closeAfterResponse(.text("arrived")) }
                var response = LoopbackServer.Response.redirect(to: "/echo")
                let chunks = Array(repeating: Data(count: 1000), count: 100_000)
                response.body = .drip(chunks: chunks, every: .milliseconds(1))
                return .respond(response)
            }
            let source = Contestant.curl.source()
            #expect(try await server.get("/", source).text == "arrived")
            // The server closes the connection of `/echo`, so only the connection of the redirect can remain open.
            await server.connectionsClosed()
            withExtendedLifetime(source) {}
        }

        @Test("A redirect that is not followed keeps its body", arguments: [1000, 300_000])
        func notFollowed(size: Int) async throws {
            let server = try LoopbackServer { _ in
                var response = LoopbackServer.Response.redirect(to: "/echo")
                response.body = .data(Data(count: size))
                return .respond(response)
            }
            let declines = Contestant.curl.source(redirects: .custom { _, _ in nil })
            #expect(try await server.get("/", declines).data?.count == size)
            let follows = Contestant.curl.source(redirects: .doNotFollow)
            #expect(try await server.get("/", follows).data?.count == size)
        }
    #endif

    @Test(
        "A task cancelled while its redirect is decided ends, and goes nowhere",
        arguments: Contestant.transports)
    func cancel(contestant: Contestant) async throws {
        let (running, answersMeanwhile) = (Recorder<Call>(), Recorder<Int>())
        let source = contestant.source(
            redirects: .custom { _, proposed in
                // Another thread cancels the task. The cancel must not wait for the decision.
                let cancelled = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    running.values.first?.task.cancel()
                    cancelled.signal()
                }
                cancelled.wait()
                answersMeanwhile.append(running.values.first?.answers ?? 0)
                return proposed
            })
        let call = Call(try server.request("/redirect/1"), source)
        running.append(call)
        call.task.resume()
        #expect(await call.outcome.code == .cancelled)
        #expect(await answersMeanwhile.first(1) == [1])
        _ = try await server.get("/json", contestant.source())
        #expect(server.requests.map(\.path) == ["/redirect/1", "/json"])
    }
}
