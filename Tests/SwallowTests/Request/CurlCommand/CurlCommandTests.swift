import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Commands for curl")
struct CurlCommandTests {
    private let service = WebService(baseURLString: "http://h/v1")

    private func request(
        _ method: Request.Method = .GET, _ path: Request.Path = "/", parameters: Parameters = [:],
        _ options: [Request.Option] = []
    ) -> Request {
        var service = service
        service.startTasksImmediately = false
        return service.request(method, path: path, parameters: parameters, options: options).request
    }

    @Test("A command has the request's method, headers, body and URL")
    func plain() {
        let accept = "--header 'Accept: application/json, text/*;q=0.9, */*;q=0.5'"
        let start = "curl --globoff"
        #expect(request(.GET, "/stores").curlCommand == "\(start) \(accept) http://h/v1/stores")
        #expect(
            request(.GET, "/a", parameters: ["b": 1, "c": "x y"]).curlCommand
                == "\(start) \(accept) 'http://h/v1/a?b=1&c=x%20y'")
        #expect(request(.HEAD).curlCommand.hasPrefix("\(start) --head "))
        let post = request(.POST, parameters: ["it's": "a"]).curlCommand
        #expect(post.contains("--request POST"))
        #expect(post.contains("--data-raw 'it%27s=a' http://h/v1/"))
        let task = service.GET("/x", options: [.header("X-A", "it's")])
        #expect(task.curlCommand.contains(#"--header 'X-A: it'\''s'"#))
        #expect(task.curlCommand == task.request.curlCommand(revealingSecrets: false))
        task.cancel()
    }

    @Test("A body of an unknown format is redacted unless secrets are revealed")
    func opaque() {
        let form = request(
            .POST, "/", [.multipart { $0.append("seecret", named: "password") }])
        let bytes = request(
            .POST, "/", [.body(Data("seecret".utf8) + [0, 0xFF], contentType: "application/octet-stream")])
        for request in [form, bytes] {
            #expect(!request.curlCommand.contains("seecret"))
            #expect(request.curlCommand.contains("<redacted>"))
            #expect(request.curlCommand(revealingSecrets: true).contains("seecret"))
        }
        let escaped = #"{"pass\u0077ord":"seecret","a":1}"#
        let json = request(.POST, "/", [.body(Data(escaped.utf8), contentType: "application/json")])
        #expect(!json.curlCommand.contains("seecret"))
        #expect(json.curlCommand.contains(#""a":1"#))
    }

    @Test("Each field of a multipart form is shown, and secret fields are redacted")
    func forms() {
        let file = FileManager.default.temporaryDirectory.appending(path: "it's.png")
        let form = request(
            .POST, "/",
            [
                .multipart { form in
                    form.append("Gate", named: "title")
                    form.append("seecret", named: "token")
                    form.append("seecret", named: "code")
                    form.append("/?jwt=seecret", named: "grant_type")
                    form.append(Data([0, 0xFF]), named: "bytes")
                    form.append(file: file, named: "poster", fileName: "a;b.png")
                }
            ])
        #expect(!form.curlCommand.contains("seecret") && !form.curlCommand.contains("Content-Type"))
        #expect(
            form.curlCommand.contains("--form-string title=Gate") || form.curlCommand.contains("'title=Gate'")
        )
        #expect(form.curlCommand.contains("'token=<redacted>'"))
        #expect(form.curlCommand.contains(#"'bytes="<redacted>";type=application/octet-stream'"#))
        #expect(form.curlCommand.contains(#"@"/"#) && form.curlCommand.contains(#";filename="a;b.png"'"#))
        #expect(form.curlCommand(revealingSecrets: true).contains("seecret"))
    }

    @Test(
        "A form with two streams isn't a command, because curl has only one standard input",
        arguments: [1, 2])
    func streams(count: Int) {
        let form = request(
            .POST, "/",
            [
                .multipart { form in
                    for number in 0..<count {
                        form.append(stream: { InputStream(data: Data()) }, named: "\(number)", fileName: "a")
                    }
                }
            ])
        for command in [form.curlCommand, form.curlCommand(revealingSecrets: true)] {
            #expect(command.hasPrefix("#") == (count == 2) && command.contains("is a stream") == (count == 2))
            #expect(command.contains("@-") == (count == 1))
        }
    }

    @Test("A value is encoded once, so the command has the members in the order that is sent")
    func order() throws {
        let members = Dictionary(uniqueKeysWithValues: (0..<20).map { ("m\($0)", $0) })
        // An app's own encoding, whose order differs each time.
        struct Shuffled: Encodable {
            let members: [String: Int]
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for member in members.keys.shuffled() { try container.encode(member) }
            }
        }
        let request = request(.POST, "/", [.json(Shuffled(members: members))])
        let first = try request.urlRequest().httpBody
        for _ in 0..<5 { #expect(try request.urlRequest().httpBody == first) }
        let text = String(decoding: try #require(first), as: UTF8.self)
        #expect(request.curlCommand.contains(text))
    }

    @Test("A form that adaptRequest has replaced isn't shown")
    func replacedForm() {
        var service = service
        service.startTasksImmediately = false
        service.configure { $0.adaptRequest { $0.httpBody = Data("other".utf8) } }
        let form = Request.Option.multipart { $0.append("Gate", named: "title") }
        #expect(
            service.POST("/", options: [form]).request.curlCommand(revealingSecrets: true).contains(
                "--data-raw other"))
    }

    @Test("Credentials are redacted unless secrets are revealed")
    func secrets() {
        let login = request(
            .POST, "/login?token=s3cret",
            [
                .header(.authorization, "Bearer s3cret"), .header("X-Api-Key", "s3cret"),
                .json(["user": "ann", "password": "s3cret"]),
            ])
        #expect(!login.curlCommand.contains("s3cret"))
        #expect(login.curlCommand.contains("Authorization: <redacted>"))
        #expect(login.curlCommand.contains("ann"))
        let form = request(.POST, "/login", parameters: ["user": "ann", "password": "s3cret"])
        #expect(!form.curlCommand.contains("s3cret"))
        for request in [login, form] {
            #expect(request.curlCommand(revealingSecrets: true).contains("s3cret"))
        }
        var own = service
        own.logRedaction = .standard.adding(["pin"])
        own.startTasksImmediately = false
        #expect(!own.GET("/", parameters: ["pin": "s3cret"]).curlCommand.contains("s3cret"))
    }

    @Test("A request that can't be sent is a comment on one line")
    func invalid() {
        let command = WebService(baseURLString: "nonsense\nrm -rf /").GET("/", options: []).curlCommand
        #expect(command.hasPrefix("# can't be sent: invalidURL"))
        #expect(!command.contains("\n"))
    }

    @Test("Words are quoted by bytes, not by characters")
    func quoting() {
        #expect("".shellQuoted == "''")
        #expect("a-Z_0/9:.".shellQuoted == "a-Z_0/9:.")
        for text in ["$(x)", "`x`", "a b", "*", "~", "\\", "\"", "a\nb", "#", "é", ";", "=", "!"] {
            #expect(text.shellQuoted == "'\(text)'")
        }
        // The text is one character of two scalars. The first scalar would close the quotation.
        #expect(Array("'\u{301}".shellQuoted.utf8) == Array("''\\''\u{301}'".utf8))
    }
}

@Suite(
    "Commands for curl, run by a shell",
    .enabled(if: CurlRun.isAvailable, "curl and sh aren't installed here"))
struct CurlRunTests {
    static let hostile = [
        "plain", "it's", "$(touch /tmp/x)`id`", "\"; exit 1; #", "a\\b\\'c", "--data @/etc/passwd",
        "@/etc/passwd",
        "ünïcödé ☃", "'\u{301}'", "!!", "a*?[x]{1,2}", "%0A%00", "tab\there", "<a>&b|c;d", "trailing ",
    ]

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .respond(.json("{}")) }
    }

    /// Sends a request and runs its command. Returns both requests that the server receives.
    private func seen(
        _ method: Request.Method, _ path: Request.Path, parameters: Parameters = [:],
        _ options: [Request.Option] = []
    ) async throws -> [LoopbackServer.Request] {
        var service = WebService(baseURLString: server.baseURLString)
        service.startTasksImmediately = false
        let count = server.requests.count
        let task = service.request(method, path: path, parameters: parameters, options: options)
        _ = try await task.data
        let status = try await CurlRun.status(of: task.request.curlCommand(revealingSecrets: true))
        #expect(status == 0)
        return Array(server.requests.dropFirst(count))
    }

    private func expectSame(_ requests: [LoopbackServer.Request], _ names: [String] = []) {
        guard requests.count == 2 else {
            Issue.record("the server has seen \(requests.count) requests")
            return
        }
        #expect(requests[0].method == requests[1].method)
        #expect(requests[0].target == requests[1].target)
        #expect(requests[0].body == requests[1].body)
        let framing = StandardTransport.isCurl ? ["Content-Length", "Transfer-Encoding"] : []
        for name in names + framing + ["Accept", "Content-Type", "Expect"] {
            #expect(requests[0].header(name) == requests[1].header(name), "\(name)")
        }
    }

    @Test("The command sends the same request for any values", arguments: hostile)
    func values(value: String) async throws {
        let isASCII = value.utf8.allSatisfy { $0 < 0x80 }
        let header: [Request.Option] = isASCII ? [.header("X-Value", value)] : []
        expectSame(
            try await seen(.GET, "/echo/\(value)", parameters: ["a": value, value: "b"], header), ["X-Value"])
        expectSame(try await seen(.POST, "/echo", parameters: [value: value], header), ["X-Value"])
        expectSame(try await seen(.PUT, "/echo", [.json([value: value])]))
        expectSame(try await seen(.PATCH, "/echo", [.body(Data(value.utf8), contentType: "text/plain")]))
    }

    @Test("The command sends the same request for any bytes of the body")
    func bytes() async throws {
        let all = Data(UInt8.min...UInt8.max)
        for body in [
            all, Data([0]), Data([0xFF, 0x25, 0x64, 0x5C]), Data("%s\\n%d\\101".utf8) + [0],
            Data([0xEF, 0xBB, 0xBF, 0x7B, 0x7D]), Data([0xEF, 0xBB, 0xBF]),
            Data("-n".utf8) + [0],
        ] {
            expectSame(
                try await seen(.POST, "/echo", [.body(body, contentType: "application/octet-stream")]))
        }
        let long = Data(repeating: UInt8(ascii: "'"), count: 300_000)
        expectSame(try await seen(.POST, "/echo", [.body(long, contentType: "text/plain")]))
    }

    @Test("The command sends the same request if the body is a file")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "it's $(id) \(UUID().uuidString)")
        try Data(UInt8.min...UInt8.max).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        expectSame(try await seen(.PUT, "/echo", [.body(file: file, contentType: "image/png")]))
    }

    @Test(
        "The command sends the same request for any dots in the path",
        arguments: [
            "/a/../b/./c", "/a/./", "/../..", "/a/b/..", "/a/%2e%2E/b", "/a/..;x/b?c=/../d", "/.a/..b/c.",
        ])
    func dots(path: String) async throws {
        expectSame(try await seen(.GET, Request.Path(path)))
    }

    private static let hostileForms: [@Sendable (inout MultipartForm) -> Void] = [
        { form in for value in hostile { form.append(value, named: "a") } },
        { form in form.append("@/etc/passwd", named: "b;c") },
        { form in form.append("x", named: "=;'\"\\%") },
        { form in form.append("a\r\nb\"\\;type=c", named: "") },
        { form in for value in hostile { form.append(Data(value.utf8), named: "a", fileName: value) } },
        { form in
            form.append(Data(hostile.joined().utf8), named: "a", contentType: "text/plain;charset=utf-8")
        },
        { form in form.append(Data(UInt8.min...UInt8.max), named: "a", fileName: "b.bin") },
        { form in form.append(String(repeating: "x", count: 200_000), named: "long") },
        { form in form.append("<b>", named: "a") },
    ]

    @Test(
        "The command sends the same request for any fields of a form",
        arguments: hostileForms.indices, [false, true])
    func forms(index: Int, hasFile: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "it's;a,\"$(id)\" \(UUID().uuidString).png")
        try Data(UInt8.min...UInt8.max).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let form = Request.Option.multipart { form in
            Self.hostileForms[index](&form)
            if hasFile { form.append(file: file, named: "file", fileName: "x.png") }
        }
        let requests = try await seen(.POST, "/echo", [form])
        try #require(requests.count == 2)
        let bodies = try requests.map { request in
            let type = try #require(request.header("Content-Type"))
            let boundary = try #require(type.split(separator: "=").last)
            #expect(type.hasPrefix("multipart/form-data; boundary="))
            // Latin-1 decodes every byte.
            let text = try #require(String(data: request.body, encoding: .isoLatin1))
            return text.replacing(boundary, with: "boundary")
        }
        #expect(bodies[0] == bodies[1])
    }

    @Test(
        "The command sends the same request for any method",
        arguments: [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND",
            "X-'$(id)".filter { $0 != "(" && $0 != ")" },
        ])
    func methods(method: String) async throws {
        expectSame(
            try await seen(Request.Method(rawValue: method), "/echo", [.header("X-Empty", "")]), ["X-Empty"])
    }
}

private enum CurlRun {
    static let isAvailable = isExecutable("sh") && isExecutable("curl")

    private static func isExecutable(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// Runs a command from a file, because a command-line argument has a length limit. Returns the exit
    /// status.
    static func status(of command: String) async throws -> Int32 {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sh")
        try Data((command + " --silent --output /dev/null\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await ChildProcess(URL(filePath: "/bin/sh"), [file.path]).status()
    }
}
