import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Signer: Authenticator {
    let keyID: String
    let secret: Data
    var identity: String? { keyID }

    func authorize(_ request: inout URLRequest) {
        let date = Date().formatted(.iso8601)
        let digest = Data(SHA256.hash(data: request.httpBody ?? Data())).base64EncodedString()
        let text = "\(request.httpMethod ?? "GET")\n\(request.url?.path ?? "")\n\(date)\n\(digest)"
        let key = SymmetricKey(data: secret)
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        let signature = Data(code).base64EncodedString()
        request.setValue(date, forHTTPHeaderField: "X-Date")
        request.setValue("\(keyID):\(signature)", forHTTPHeaderField: "X-Signature")
    }

    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
    func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
}

struct AWSSigner: Authenticator {
    let accessKey, secret, region, service: String
    var sessionToken: String?
    var now: @Sendable () -> Date = { Date() }
    var identity: String? { accessKey }

    func authorize(_ request: inout URLRequest) {
        let time = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted).format(now())
        let digest = request.streamedBody == nil ? hash(request.httpBody ?? Data()) : "UNSIGNED-PAYLOAD"
        request.setValue(time, forHTTPHeaderField: "X-Amz-Date")
        request.setValue(digest, forHTTPHeaderField: "X-Amz-Content-Sha256")
        if let sessionToken { request.setValue(sessionToken, forHTTPHeaderField: "X-Amz-Security-Token") }

        var fields = ["host": request.url.map(host) ?? ""]
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            fields[name.lowercased()] = value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let sorted = fields.sorted { $0.key < $1.key }
        let names = sorted.map(\.key).joined(separator: ";")
        let lines =
            [request.httpMethod ?? "GET", request.url.map(path) ?? "/", request.url.map(query) ?? ""]
            + sorted.map { "\($0.key):\($0.value)" } + ["", names, digest]

        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let canonical = hash(Data(lines.joined(separator: "\n").utf8))
        var key = Data("AWS4\(secret)".utf8)
        for part in scope.split(separator: "/") { key = code(of: String(part), with: key) }
        let signature = code(of: "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(canonical)", with: key)
        request.setValue(
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope), SignedHeaders=\(names), Signature=\(text(signature))",
            forHTTPHeaderField: "Authorization")
    }

    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
    func refresh(after response: HTTPURLResponse, to request: URLRequest) {}

    // The `Host` field omits the scheme's default port.
    private func host(_ url: URL) -> String {
        let port = url.port == (url.scheme == "http" ? 80 : 443) ? nil : url.port
        return (url.host() ?? "") + (port.map { ":\($0)" } ?? "")
    }

    // S3 signs the unchanged path. Other services remove dot segments and empty segments, and escape the escapes
    // again.
    private func path(_ url: URL) -> String {
        if service == "s3" {
            let path = escaped(url.path(percentEncoded: false), keeping: "/")
            return path.isEmpty ? "/" : path
        }
        var segments: [String] = []
        for segment in url.path().split(separator: "/") where segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(escaped(String(segment))) }
        }
        let end = url.path().hasSuffix("/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.joined(separator: "/") + end
    }

    private func query(_ url: URL) -> String {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return items.map { (escaped($0.name), escaped($0.value ?? "")) }.sorted(by: <)
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func escaped(_ text: String, keeping others: String = "") -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        return text.addingPercentEncoding(
            withAllowedCharacters: CharacterSet(charactersIn: unreserved + others)) ?? text
    }

    private func hash(_ data: Data) -> String { text(Data(SHA256.hash(data: data))) }

    private func code(of text: String, with key: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
    }

    private func text(_ bytes: Data) -> String {
        bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}

/// The examples in "Signature Calculations for the Authorization Header" of Amazon S3's documentation, with their
/// signatures.
private struct PublishedExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "GET"
    let url: String
    var fields: [String: String] = [:]
    var body: String?
    let signature: String

    static let all = [
        PublishedExample(
            testDescription: "GET Object", url: "https://examplebucket.s3.amazonaws.com/test.txt",
            fields: ["Range": "bytes=0-9"],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        PublishedExample(
            testDescription: "PUT Object", method: "PUT",
            url: "https://examplebucket.s3.amazonaws.com/test$file.text",
            fields: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            body: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        PublishedExample(
            testDescription: "GET Bucket Lifecycle", url: "https://examplebucket.s3.amazonaws.com/?lifecycle",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        PublishedExample(
            testDescription: "GET Bucket (List Objects)",
            url: "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]
}

@Suite("The guide's signature of AWS")
struct SigningSamples {
    private let signer = AWSSigner(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        region: "us-east-1",
        service: "s3", now: { Date(timeIntervalSince1970: 1_369_353_600) })

    @Test("is that of Amazon's own examples", arguments: PublishedExample.all)
    private func published(_ example: PublishedExample) throws {
        var request = URLRequest(url: try #require(URL(string: example.url)))
        request.httpMethod = example.method
        for (name, value) in example.fields { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = example.body.map { Data($0.utf8) }

        signer.authorize(&request)

        let field = request.value(forHTTPHeaderField: "Authorization")
        #expect(field?.hasSuffix("Signature=\(example.signature)") == true, "\(field ?? "")")
    }

    @Test("has a session's token signed with the rest")
    func temporary() throws {
        var signer = signer
        signer.sessionToken = "AQoDYXdzEXAMPLE"
        var request = URLRequest(
            url: try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt")))
        request.setValue("bytes=0-9", forHTTPHeaderField: "Range")

        signer.authorize(&request)

        #expect(request.value(forHTTPHeaderField: "X-Amz-Security-Token") == "AQoDYXdzEXAMPLE")
        let field = try #require(request.value(forHTTPHeaderField: "Authorization"))
        #expect(
            field.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
        // Python's hmac module computed this signature. It also computes the published signatures.
        #expect(field.hasSuffix("Signature=f5557c62bfa28c4ac8ddbcde955e367235e296bf53bb09c39b1c649027f8786b"))
    }

    @Test(
        "covers the host as it is sent, without a default port",
        arguments: [
            ("https://a.test", "https://a.test:443", true), ("http://a.test", "http://a.test:80", true),
            ("https://a.test", "https://a.test:80", false), ("http://a.test", "http://a.test:443", false),
        ])
    func ports(url: String, urlWithPort: String, isEqual: Bool) throws {
        let signatures = try [url, urlWithPort].map { text in
            var request = URLRequest(url: try #require(URL(string: text)))
            signer.authorize(&request)
            return request.value(forHTTPHeaderField: "Authorization")
        }
        #expect((signatures[0] == signatures[1]) == isEqual)
    }

    @Test("is the HMAC of method, path, date and body")
    func hmac() async throws {
        let stub = StubDataSource()
        stub.stub(.POST, "/stores", .json([]))
        let secret = Data("secret".utf8)
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.configure { $0.authenticator = Signer(keyID: "app", secret: secret) }
        _ = try await service.POST("/stores", options: [.json(["name": "Greenfield"])]).json

        let date = try #require(stub.request(0)["X-Date"])
        let digest = Data(SHA256.hash(data: Data(#"{"name":"Greenfield"}"#.utf8))).base64EncodedString()
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("POST\n/stores\n\(date)\n\(digest)".utf8), using: SymmetricKey(data: secret))
        #expect(stub.request(0)["X-Signature"] == "app:\(Data(code).base64EncodedString())")
    }

    @Test("is on each attempt, with the body's digest")
    func service() async throws {
        let stub = StubDataSource()
        stub.stub(.PUT, "/notes/1", .sequence([.status(503), .status(200)]))
        var service = WebService(baseURLString: "https://examplebucket.s3.amazonaws.com", dataSource: stub)
        let (accessKey, secret) = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        service.configure { configuration in
            configuration.authenticator = AWSSigner(
                accessKey: accessKey, secret: secret, region: "us-east-1", service: "s3")
        }
        service.configure { $0.retry = .standard }
        let clock = ManualClock()
        service.clock = clock
        let task = service.PUT(
            "/notes/1", options: [.body(Data("Welcome to Amazon S3.".utf8), contentType: "text/plain")])
        while await !clock.run(until: task) {}
        _ = try await task.data
        for index in 0..<2 {
            #expect(
                stub.request(index)["X-Amz-Content-Sha256"]
                    == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
            #expect(
                stub.request(index)[.authorization]?.contains(";content-type;host;x-amz-")
                    == true)
        }
    }
}
