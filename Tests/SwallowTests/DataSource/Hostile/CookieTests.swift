#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow
    import TestSupport
    import Testing

    @Suite("Cookies", .enabled(if: CurlDataSource.isAvailable))
    struct CookieTests {
        /// A server that sets the cookies of the request's query, separated by `&`, and responds with the
        /// cookies that it received.
        private let server: RawServer
        private static let hosts = [
            "shop.example.com", "www.shop.example.com", "other.example.com", "example.com", "a.co.uk",
            "b.co.uk",
        ]

        init() throws {
            server = try RawServer { connection in
                while let head = connection.receiveHead() {
                    let lines = head.split(separator: "\r\n")
                    let target = lines.first?.split(separator: " ").dropFirst().first ?? ""
                    let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
                    let fields = query.split(separator: "&").map {
                        "Set-Cookie: \($0.removingPercentEncoding ?? "")\r\n"
                    }
                    let cookies = lines.filter { $0.lowercased().hasPrefix("cookie:") }.map {
                        $0.dropFirst(8)
                    }
                    let body = cookies.joined(separator: " | ")
                    connection.send(
                        "HTTP/1.1 200 OK\r\n\(fields.joined())Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    )
                }
            }
        }

        private func source(_ cookies: CurlDataSource.Cookies = .inMemory) -> CurlDataSource {
            var configuration = CurlDataSource.Configuration()
            configuration.cookies = cookies
            configuration.resolve = Self.hosts.map { "\($0):\(server.port):127.0.0.1" }
            return CurlDataSource(configuration: configuration)
        }

        private func set(
            _ fields: [String], at host: String, _ path: String = "/", with source: CurlDataSource
        ) async throws {
            let query = try fields.map {
                try #require($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            }
            _ = try await server.get(source, "\(path)?\(query.joined(separator: "&"))", host: host)
        }

        private func sent(
            to host: String, _ path: String = "/", with source: CurlDataSource
        ) async throws -> String {
            try await server.get(source, path, host: host).text
        }

        struct Case: Sendable, CustomTestStringConvertible {
            let section: String
            let fields: [String]
            let from: String
            let to: String
            let sent: String
            var testDescription: String { "\(section): \(fields) from \(from) to \(to)" }

            init(_ section: String, _ fields: [String], from: String, to: String, _ sent: String) {
                self.section = section
                self.fields = fields
                self.from = from
                self.to = to
                self.sent = sent
            }
        }

        private static let cases = [
            Case("§5.3", ["a=1"], from: "shop.example.com/", to: "shop.example.com/x", "a=1"),
            Case("§5.3 host-only", ["a=1"], from: "example.com/", to: "shop.example.com/", ""),
            Case(
                "§5.1.3", ["a=1; Domain=example.com"], from: "shop.example.com/", to: "other.example.com/",
                "a=1"),
            Case(
                "§5.3 step 6", ["a=1; Domain=other.example.com"], from: "shop.example.com/",
                to: "other.example.com/", ""),
            Case("§5.3 step 5", ["a=1; Domain=com"], from: "shop.example.com/", to: "other.example.com/", ""),
            Case("§5.3 step 5", ["a=1; Domain=co.uk"], from: "a.co.uk/", to: "b.co.uk/", ""),
            Case("§5.4 Secure", ["a=1; Secure"], from: "shop.example.com/", to: "shop.example.com/", ""),
            Case("§5.1.4", ["a=1; Path=/in"], from: "shop.example.com/", to: "shop.example.com/in/x", "a=1"),
            Case("§5.1.4", ["a=1; Path=/in"], from: "shop.example.com/", to: "shop.example.com/inside", ""),
            Case("§5.1.4", ["a=1; Path=/in"], from: "shop.example.com/", to: "shop.example.com/", ""),
            Case(
                "§5.1.4 default", ["a=1"], from: "shop.example.com/in/x", to: "shop.example.com/in/y", "a=1"),
            Case("§5.1.4 default", ["a=1"], from: "shop.example.com/in/x", to: "shop.example.com/out", ""),
            Case(
                "§5.2.2", ["a=1", "a=2; Max-Age=0"], from: "shop.example.com/", to: "shop.example.com/", ""),
            Case(
                "§5.2.2", ["a=1", "a=2; Max-Age=-1"], from: "shop.example.com/", to: "shop.example.com/", ""),
            Case(
                "§5.2.1", ["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], from: "shop.example.com/",
                to: "shop.example.com/", ""),
            Case(
                "§5.4 order", ["a=1; Path=/", "b=2; Path=/in/x", "c=3; Path=/in"],
                from: "shop.example.com/in/x", to: "shop.example.com/in/x", "b=2; c=3; a=1"),
            Case("§5.3 step 11", ["a=1", "a=2"], from: "shop.example.com/", to: "shop.example.com/", "a=2"),
        ]

        @Test("Cookies are sent as RFC 6265 specifies", arguments: cases)
        func rules(_ rule: Case) async throws {
            func parts(_ place: String) -> (host: String, path: String) {
                let slash = place.firstIndex(of: "/") ?? place.endIndex
                return (String(place[..<slash]), String(place[slash...]))
            }
            let source = source()
            let (from, to) = (parts(rule.from), parts(rule.to))
            try await set(rule.fields, at: from.host, from.path, with: source)
            #expect(try await sent(to: to.host, to.path, with: source) == rule.sent)
        }

        @Test("A carriage return in a cookie is never sent")
        func carriageReturn() async throws {
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\rX: 2\r\nContent-Length: 0\r\n\r\n")
                }
            }
            let source = CurlDataSource()
            for _ in 0..<2 { _ = try await server.get(source) }
            #expect(server.heads.values.allSatisfy { !$0.replacing("\r\n", with: "").contains("\r") })
        }

        @Test("Many cookies don't fill the memory or the next request")
        func flood() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumFieldCount = 20_000
            configuration.maximumHeadSize = 1_000_000
            let fields = (0..<12_000).map { "Set-Cookie: c\($0)=\($0)\r\n" }.joined()
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n")
                }
            }
            let source = CurlDataSource(configuration: configuration)
            for _ in 0..<2 { #expect(try await server.get(source).error == nil) }
            #expect(server.heads.values.allSatisfy { $0.utf8.count < 16_384 })
            #expect(await source.cookies.count < 200)
        }

        @Test("A request with httpShouldHandleCookies = false sends and stores no cookies")
        func unhandled() async throws {
            let source = source()
            try await set(["a=1"], at: "example.com", with: source)
            var request = try server.request("/?b=2", host: "example.com")
            request.httpShouldHandleCookies = false
            #expect(await server.send(request, source).text == "")
            #expect(try await sent(to: "example.com", with: source) == "a=1")
        }

        @Test("A Cookie field of the caller replaces stored cookies, and the response's cookies are stored")
        func ownField() async throws {
            let source = source()
            try await set(["a=1"], at: "example.com", with: source)
            var request = try server.request("/?b=2", host: "example.com")
            request.setValue("own=1", forHTTPHeaderField: "Cookie")
            #expect(await server.send(request, source).text == "own=1")
            #expect(try await sent(to: "example.com", with: source) == "b=2; a=1")
        }

        @Test("Cookies can be listed, set and removed")
        func managing() async throws {
            let source = source()
            try await set(
                ["a=1; Max-Age=1000; HttpOnly", "b=2; Domain=example.com; Path=/in"], at: "example.com",
                with: source)
            let cookies = await source.cookies.sorted { $0.name < $1.name }
            #expect(cookies.map(\.name) == ["a", "b"])
            #expect(cookies.map(\.domain) == ["example.com", "example.com"])
            #expect(cookies.map(\.includesSubdomains) == [false, true])
            #expect(cookies.map(\.path) == ["/", "/in"])
            #expect(cookies.map(\.isHTTPOnly) == [true, false])
            #expect(cookies.map { $0.expires == nil } == [false, true])
            try source.setCookie(.init(name: "c", value: "x y", domain: "example.com", isSecure: false))
            // libcurl sends the latest cookie first if the paths have the same length.
            #expect(try await sent(to: "example.com", with: source) == "c=x y; a=1")
            source.removeCookies { $0.name == "a" }
            #expect(await source.cookies.map(\.name).sorted() == ["b", "c"])
            #expect(try await sent(to: "example.com", with: source) == "c=x y")
            source.removeCookies()
            #expect(try await sent(to: "example.com", with: source) == "")
            #expect(await source.cookies.isEmpty)
        }

        @Test("The newest 180 cookies of each host are stored")
        func hostLimit() async throws {
            let source = source()
            for start in stride(from: 0, to: 300, by: 50) {
                try await set((start..<start + 50).map { "c\($0)=1" }, at: "example.com", with: source)
            }
            // A cookie that is set again keeps its age.
            try await set(["c0=2", "c200=2"], at: "example.com", with: source)
            try await set(["other=1"], at: "other.example.com", with: source)
            let names = await Set(source.cookies.map(\.name))
            #expect(names.count == 181 && names.contains("other"))
            #expect(!names.contains("c120") && names.contains("c299") && names.contains("c0"))
        }

        @Test("The newest 3,000 cookies are stored")
        func limit() async throws {
            let source = source()
            for host in 0..<40 {
                for number in 0..<100 {
                    try source.setCookie(
                        .init(name: "c\(number)", value: "1", domain: "h\(host).example.com"))
                }
            }
            let cookies = await source.cookies
            #expect(cookies.count == 3000)
            #expect(Set(cookies.map(\.domain)).count == 30)
            #expect(cookies.allSatisfy { $0.domain != "h9.example.com" })
        }

        @Test(
            "A cookie that can't be sent, or lacks what its prefix requires, can't be set",
            arguments: [
                ("", "1", "a", "/"), ("a", "1\r\nX: 2", "a", "/"), ("a", "1;b", "a", "/"),
                ("a=b", "1", "a", "/"), ("a", "1", "", "/"), ("a", "1\t2", "a", "/"), ("a", "1", "a", "x"),
                ("__Secure-a", "1", "a", "/"), ("__Host-a", "1", "a", "/"),
                ("a", String(repeating: "1", count: 4096), "a", "/"),
            ])
        func illegal(name: String, value: String, domain: String, path: String) async throws {
            let source = source()
            #expect(throws: ServiceError.self) {
                try source.setCookie(
                    .init(name: name, value: value, domain: domain, path: path, isSecure: false))
            }
            #expect(await source.cookies.isEmpty)
        }

        @Test("Cookies are deleted with the data source, or stored in a file that only its user can read")
        func file() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("cookies.txt")
            let kept = ["a=1; Max-Age=1000", "b=2; Max-Age=1000; HttpOnly; Path=/in", "session=3"]
            let memory = source()
            try await set(kept, at: "example.com", with: memory)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let first = source(.file(file))
            try await set(kept, at: "example.com", with: first)
            try await first.saveCookies()
            var status = stat()
            #expect(stat(file.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cookies.txt"])
            #expect(try await sent(to: "example.com", "/in", with: source(.file(file))) == "b=2; a=1")
            chmod(file.path, 0o666)
            #expect(try await sent(to: "example.com", "/in", with: source(.file(file))) == "")
            let unwritable = source(.file(folder.appendingPathComponent("none/cookies.txt")))
            try await set(kept, at: "example.com", with: unwritable)
            await #expect(throws: CocoaError.self) { try await unwritable.saveCookies() }
        }

        @Test("Cookies that can't be saved are reported once, and again after a save that succeeded")
        func unsaved() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            let errors = Recorder<any Error>()
            var configuration = CurlDataSource.Configuration()
            configuration.cookies = .file(folder.appendingPathComponent("cookies.txt"))
            configuration.cookiesNotSaved = { errors.append($0) }
            let source = CurlDataSource(configuration: configuration)
            let cookie = CurlDataSource.Cookie(
                name: "a", value: "1", domain: "example.com", expires: .distantFuture)
            for count in 1...2 {
                for _ in 0..<3 {
                    try source.setCookie(cookie)
                    _ = await source.cookies
                }
                #expect(await errors.first(count).allSatisfy { $0 is CocoaError })
                _ = try await server.get(source)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try await source.saveCookies()
                _ = try await server.get(source)
                #expect(errors.values.count == count)
                try FileManager.default.removeItem(at: folder)
            }
        }

        @Test("A cookie is saved although its response was cancelled during the body")
        func cancelled() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(
                    "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Max-Age=1000\r\nContent-Length: 9\r\n\r\nbody")
                _ = connection.receiveHead()
            }
            let source = source(.file(file))
            let call = StreamCall(try server.request(), source).streaming().resumed()
            _ = await call.progress.first(2)
            call.task.cancel()
            try await source.saveCookies()
            #expect(try String(contentsOf: file, encoding: .utf8).contains("\ta\t1"))
        }

        @Test("The cookies of a data source are in its file after it is released")
        func savedAtTheEnd() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            do {
                let source = source(.file(file))
                for name in ["a", "b"] {
                    try source.setCookie(
                        .init(
                            name: name, value: "1", domain: "example.com", isSecure: false,
                            expires: .distantFuture))
                    // The first cookie is saved immediately. The second one waits, because a second hasn't
                    // passed.
                    _ = await source.cookies
                }
            }
            // The release waits for at most two seconds.
            await until { (try? String(contentsOf: file, encoding: .utf8))?.contains("\tb\t") == true }
            let field = try await sent(to: "example.com", with: source(.file(file)))
            #expect(Set(field.components(separatedBy: "; ")) == ["a=1", "b=1"])
        }
    }
#endif
