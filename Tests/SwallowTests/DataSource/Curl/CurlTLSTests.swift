#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Swallow
    import TestSupport
    import Testing

    @Suite("TLS and HTTP/2", .enabled(if: Nginx.isThere, "run by .ci/tls swift test --filter TLS"))
    struct CurlTLSTests {
        private func source(
            _ configure: (inout CurlDataSource.Configuration) -> Void = { _ in }
        ) -> CurlDataSource {
            Nginx.source(configure)
        }

        private func send(_ request: URLRequest, _ source: CurlDataSource) async -> Call.Outcome {
            let call = Call(request, source)
            call.task.resume()
            return await call.outcome
        }

        @Test("The server chooses HTTP/2, and one connection serves many requests")
        func multiplexing() async throws {
            let source = source()
            let calls = try (0..<100).map { _ in Call(try Nginx.request("/connection"), source) }
            for call in calls { call.task.resume() }
            var connections: Set<String> = []
            for call in calls {
                let words = await call.outcome.text.split(separator: " ")
                #expect(words.dropFirst().first == "HTTP/2.0")
                connections.insert(words.first.map(String.init) ?? "")
            }
            #expect(connections.count == 1)
        }

        @Test("A response without a body completes while its connection stays open", arguments: [204, 304])
        func noBody(status: Int) async throws {
            let source = source { $0.httpVersions = .http1 }
            for _ in 0..<2 {
                #expect(await send(try Nginx.request("/\(status)"), source).response?.statusCode == status)
            }
        }

        @Test("HTTP/1.1 is used if the configuration selects it")
        func http1() async throws {
            let outcome = await send(try Nginx.request("/connection"), source { $0.httpVersions = .http1 })
            #expect(outcome.text.contains("HTTP/1.1"))
        }

        @Test(
            "HTTP/2 with prior knowledge works for consecutive and concurrent requests, with and without TLS"
        )
        func priorKnowledge() async throws {
            let source = source { $0.httpVersions = .http2PriorKnowledge }
            let clear = Nginx.environment["SWALLOW_H2C_PORT"] ?? ""
            let requests = [
                try Nginx.request("/connection"), URLRequest.to("http://localhost:\(clear)/connection"),
            ]
            for request in requests {
                for _ in 0..<3 { #expect(await send(request, source).text.contains("HTTP/2.0")) }
                let calls = (0..<20).map { _ in Call(request, source).resumed() }
                for call in calls { #expect(await call.outcome.text.contains("HTTP/2.0")) }
            }
            var upload = URLRequest.to("http://localhost:\(clear)/put/h2c")
            upload.httpMethod = "PUT"
            upload.httpBody = Data(repeating: 0x61, count: 300_000)
            for status in [201, 204] { #expect(await send(upload, source).status == status) }
        }

        @Test("Large and compressed bodies arrive completely over HTTP/2", arguments: ["/2m", "/gzip"])
        func bodies(path: String) async throws {
            let source = source()
            let calls = try (0..<8).map { _ in Call(try Nginx.request(path), source) }
            for call in calls { call.task.resume() }
            for call in calls { #expect(await call.outcome.data?.count == 2_097_152) }
        }

        @Test("A paused stream doesn't affect the other streams of its connection")
        func pause() async throws {
            let source = source()
            let paused = Call(try Nginx.request("/2m"), source)
            paused.task.resume()
            paused.task.suspend()
            for _ in 0..<5 {
                #expect(await send(try Nginx.request("/2m"), source).data?.count == 2_097_152)
            }
            #expect(paused.answers == 0)
            paused.task.resume()
            let outcome = await paused.outcome
            #expect(outcome.data?.count == 2_097_152, "\(outcome)")
        }

        @Test("A stream that is paused before its head arrives loses no bytes")
        func earlyPause() async throws {
            let source = source()
            #expect(await send(try Nginx.request("/2k"), source).data?.count == 2048)
            var calls: [Call] = []
            for _ in 0..<60 {
                let call = Call(try Nginx.request("/2k"), source)
                call.task.resume()
                // The loop has started the request and sends it.
                _ = await source.cookies
                call.task.suspend()
                _ = await source.cookies
                calls.append(call)
            }
            // This makes the loop read the bytes that have arrived for the other requests.
            #expect(await send(try Nginx.request("/2m"), source).data?.count == 2_097_152)
            for call in calls {
                call.task.resume()
                let outcome = await call.outcome
                #expect(outcome.data?.count == 2048, "\(outcome)")
            }
        }

        @Test("An untrusted or expired certificate, or one for another name, fails the request")
        func untrusted() async throws {
            let strange = source { $0.tls.certificateAuthorityFile = nil }
            #expect(await send(try Nginx.request("/2k"), strange).code == .serverCertificateUntrusted)
            let address = try Nginx.request("/2k", host: "127.0.0.1")
            #expect(await send(address, source()).code == .serverCertificateUntrusted)
            let expired = try Nginx.request("/2k", "SWALLOW_TLS_EXPIRED_PORT")
            let code = await send(expired, source()).code
            #expect(code == .serverCertificateHasBadDate || code == .serverCertificateUntrusted)
            let careless = source { $0.tls.verifiesCertificates = false }
            #expect(await send(expired, careless).data?.count == 2048)
        }

        @Test("A server whose key isn't pinned fails the request")
        func pins() async throws {
            let pin = try String(contentsOfFile: Nginx.file("pin"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let other = Data(repeating: 7, count: 32).base64EncodedString()
            let right = source { $0.tls.pins = [other, pin] }
            #expect(await send(try Nginx.request("/2k"), right).data?.count == 2048)
            let wrong = source { $0.tls.pins = [other] }
            #expect(await send(try Nginx.request("/2k"), wrong).code == .serverCertificateUntrusted)
        }

        @Test("A server that requests a certificate receives the configuration's certificate")
        func clientCertificate() async throws {
            let request = try Nginx.request("/connection", "SWALLOW_TLS_CLIENT_PORT")
            let known = source {
                $0.tls.clientCertificateFile = Nginx.file("client.pem")
                $0.tls.clientKeyFile = Nginx.file("client.key")
            }
            #expect(await send(request, known).text.hasSuffix("SUCCESS"))
            #expect(await send(request, source()).response?.statusCode == 400)
        }

        @Test("A server whose TLS version is below the minimum fails the request")
        func minimumVersion() async throws {
            let request = try Nginx.request("/2k", "SWALLOW_TLS_OLD_PORT")
            #expect(await send(request, source()).data?.count == 2048)
            let strict = source { $0.tls.minimumVersion = .tls13 }
            #expect(await send(request, strict).code == .secureConnectionFailed)
        }

        @Test("A Unix-domain socket replaces the host")
        func unixSocket() async throws {
            let local = source { $0.unixSocketPath = Nginx.file("socket") }
            let request = URLRequest(url: try #require(URL(string: "http://service.test/2k")))
            #expect(await send(request, local).data?.count == 2048)
        }

        @Test("Streams can be cancelled while other streams of the connection continue")
        func cancel() async throws {
            let source = source()
            let calls = try (0..<200).map { _ in Call(try Nginx.request("/2m"), source) }
            for call in calls { call.task.resume() }
            for call in calls.dropFirst(4) { call.task.cancel() }
            for call in calls.prefix(4) { #expect(await call.outcome.data?.count == 2_097_152) }
            for call in calls.dropFirst(4) {
                let outcome = await call.outcome
                #expect(outcome.code == .cancelled || outcome.data?.count == 2_097_152)
            }
        }

        @Test("The process exits without a crash while transfers are running", arguments: [1, 8, 40])
        func exit(count: Int) async throws {
            // In one of three runs, OpenSSL was torn down while the loop's thread used it. `.ci/exits` repeats this
            // more often.
            let url = try #require(try Nginx.request("/2k").url?.absoluteString)
            for _ in 0..<10 {
                let (_, status) = try await TransportProbe.run("exit", url, "\(count)", Nginx.file("ca.pem"))
                #expect(status == 0)
            }
        }

        @Test("Keys are logged only if logsKeys is true", arguments: [false, true])
        func keyLog(isWanted: Bool) async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let url = try #require(try Nginx.request("/2k").url?.absoluteString)
            let (output, _) = try await TransportProbe.run(
                "keys", url, Nginx.file("ca.pem"), isWanted ? "log" : "",
                environment: ["SSLKEYLOGFILE": file.path])
            #expect(output.count == 2048)
            let logged = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            #expect(logged.isEmpty != isWanted)
        }

        @Test("A connection that closes without TLS's close_notify doesn't complete a body")
        func truncation() async throws {
            // RFC 9112 §9.8: the relay drops TLS 1.2's last alert, close_notify.
            let port = try #require(UInt16(Nginx.environment["SWALLOW_TLS_OLD_PORT"] ?? ""))
            for isCut in [false, true] {
                let relay = try TLSRelay(to: port, dropsAlerts: isCut)
                let url = try #require(URL(string: "https://localhost:\(relay.port)/until-close"))
                let outcome = await send(URLRequest(url: url), source())
                withExtendedLifetime(relay) {}
                #expect(outcome.data?.count == (isCut ? nil : 2_097_152))
                #expect(outcome.code == (isCut ? .networkConnectionLost : nil))
            }
        }

        @Test(
            "New connections resume an earlier TLS session, even after a restart of the server",
            arguments: [false, true])
        func resumption(handlesCookies: Bool) async throws {
            let first = try #require(UInt16(Nginx.environment["SWALLOW_TLS_PORT"] ?? ""))
            let again = try #require(UInt16(Nginx.environment["SWALLOW_TLS_AGAIN_PORT"] ?? ""))
            let relay = try TLSRelay(to: first, dropsAlerts: false)
            let source = source { $0.httpVersions = .http1 }
            var request = URLRequest(
                url: try #require(URL(string: "https://localhost:\(relay.port)/connection")))
            request.setValue("close", forHTTPHeaderField: "Connection")
            request.httpShouldHandleCookies = handlesCookies
            var resumptions: [Substring] = []
            for server in [first, first, again, again] {
                relay.lead(to: server)
                resumptions.append(resumption(await send(request, source)))
            }
            #expect(resumptions == [".", "r", "r", "r"])
        }

        @Test("Concurrent requests on separate connections resume TLS sessions")
        func resumptionAtOnce() async throws {
            let source = source { $0.httpVersions = .http1 }
            var request = try Nginx.request("/connection")
            request.setValue("close", forHTTPHeaderField: "Connection")
            #expect(resumption(await send(request, source)) == ".")
            let calls = (0..<8).map { _ in Call(request, source) }
            for call in calls { call.task.resume() }
            for call in calls { #expect(resumption(await call.outcome) == "r") }
        }

        @Test("A request with its own cookies stores its TLS session where other requests find it")
        func resumptionAfterCookies() async throws {
            let source = source { $0.httpVersions = .http1 }
            var request = try Nginx.request("/connection")
            request.setValue("close", forHTTPHeaderField: "Connection")
            var other = request
            other.setValue("a=b", forHTTPHeaderField: "Cookie")
            #expect(resumption(await send(other, source)) == ".")
            #expect(resumption(await send(request, source)) == "r")
        }

        /// "r" for a session that was resumed, "." for a new one.
        private func resumption(_ outcome: Call.Outcome) -> Substring {
            outcome.text.split(separator: " ").dropFirst(2).first ?? ""
        }
    }
#endif
