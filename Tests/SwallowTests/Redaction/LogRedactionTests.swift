import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Log redaction")
struct LogRedactionTests {
    private static let redaction = LogRedaction.standard.adding(["X-Device", "pin"])

    @Test(
        "Credentials and cookies are redacted in requests and responses, in any case",
        arguments: [
            "Authorization", "authorization", "AUTHORIZATION", "Cookie", "cOOkie", "Set-Cookie", "set-cookie",
            "Proxy-Authorization", "proxy-AUTHORIZATION",
        ])
    func standardHeaders(name: String) throws {
        let headers = [name: "s3cret", "Accept": "a/b"]
        let request = try LogEvent.Request("https://host.example/", headers: headers)
        let response = try LogEvent.Response(headers: headers)
        for headers in [request.headers, response.headers] {
            #expect(headers[Headers.Name(name)] == "<redacted>")
            #expect(headers["Accept"] == "a/b")
        }
        #expect(!"\(request)\(response)\(LogEvent.requestBuilt(request))".contains("s3cret"))
    }

    @Test(
        "Common names of secrets are redacted by default, in any case",
        arguments: [
            "access_token", "api_key", "apikey", "password", "secret", "signature", "token", "X-Api-Key",
            "X-Auth-Token", "X-API-KEY", "Token", "refresh_token", "refreshToken", "id_token", "idToken",
            "client_secret", "clientSecret", "client_assertion", "accessToken", "apiKey", "X-Amz-Signature",
            "X-Amz-Security-Token", "sig", "jwt", "passwd", "access-token", "X-CSRF-Token", "x-csrf-token",
        ])
    func standardNames(name: String) throws {
        let request = try LogEvent.Request("https://host.example/?\(name)=s3cret", headers: [name: "s3cret"])
        #expect(request.url == "https://host.example/?\(name)=<redacted>")
        #expect(request.headers == [Headers.Name(name): "<redacted>"])
    }

    @Test(
        "The redacted form of a long text is at most 12 times as long",
        arguments: [
            "=", "a:", "//", "//a:b", "%25", "\"", "a=", "@", "//a:b@", "\\\"", "{\"", "\"a\":", "\"token\":",
            "\"token\":{", "\"token\":\\\"", "\\", "\\\\\"", "\\u0022", "%2F%2Fa:b", "(a:", "//a:b%40",
            "\": ", "{", "\n",
        ])
    func longTexts(unit: String) {
        let text = String(repeating: unit, count: 4096 / unit.utf8.count)
        // The limit allows twelve bytes for each byte, for delimiters without a value.
        let longest = 12 * text.utf8.count
        for text in [text, "{" + text, "https://h/?a=" + text, "{\"a\":\"" + text] {
            #expect(Self.redaction.redacted(text).utf8.count <= longest)
            #expect(Self.redaction.redactedURL(text).utf8.count <= longest)
            for type in ["application/json", "application/x-www-form-urlencoded", "text/event-stream"] {
                let body = Self.redaction.text(ofBody: Data(text.utf8), contentType: type, limit: .max)
                #expect(body.map { $0.utf8.count <= longest } == true)
            }
        }
    }

    static let members: [(text: String, logged: String)] = [
        (#"{"token":"s3cret","a":"b"}"#, #"{"token":"<redacted>","a":"b"}"#),
        (#"{"pass\u0077ord" : "s3\"cret","a":1.50}"#, #"{"password":"<redacted>","a":1.50}"#),
        (#"{"token":471.1e5,"a":[ 1 ]}"#, #"{"token":"<redacted>","a":[1]}"#),
        (#"{"token":{"a":["s3cret","}"],"b":{}},"a":1}"#, #"{"token":"<redacted>","a":1}"#),
        (#"{"token":null,"password":true}"#, #"{"token":null,"password":true}"#),
        (#"{"a":"{\"token\":\"s3cret\",\"b\":1}"}"#, #"{"a":"{\"token\":\"<redacted>\",\"b\":1}"}"#),
        (
            #"{"a":"{\"b\":\"{\\\"c\\\":\\\"s3cret\\\"}\"}","d":1}"#,
            #"{"a":"{\"b\":\"{\\\"c\\\":\\\"s3cret\\\"}\"}","d":1}"#
        ),
        (#"{"a":"{\"token\":s3cret","c":1}"#, #"{"a":"<redacted>","c":1}"#),
        (#"{"code":"s3cret","grant_type":"x"}"#, #"{"code":"<redacted>","grant_type":"x"}"#),
        (#"{"code":"E42","a":1}"#, #"{"code":"E42","a":1}"#),
        (
            #"["see https://ann:s3cret@h/?b=1&token=s3cret","mailto:ada@h","[1] b"]"#,
            #"["see https://h/?b=1&token=<redacted>","mailto:ada@h","[1] b"]"#
        ),
        (#"{"token":"s3cret"#, "<redacted>"), (#"{"a":"b"}{"#, "<redacted>"), ("s3cret", "<redacted>"),
    ]

    @Test(
        "The values of secret members are redacted in JSON, and JSON that can't be parsed isn't shown",
        arguments: members)
    func member(text: String, logged: String) throws {
        #expect(
            Self.redaction.text(ofBody: Data(text.utf8), contentType: "application/json", limit: .max)
                == logged)
    }

    @Test("A code is secret if there is a grant type next to it")
    func codes() {
        let redaction = LogRedaction.standard
        #expect(redaction.redactedURL("https://h/?code=E42") == "https://h/?code=E42")
        #expect(
            redaction.redactedURL("https://h/?grant%5Ftype=x&code=s3cret")
                == "https://h/?grant%5Ftype=x&code=<redacted>")
        #expect(
            redaction.adding(["pin"]).redacted("code=s3cret&grant_type=x") == "code=<redacted>&grant_type=x")
        #expect(LogRedaction(names: ["pin"]).redacted("code=1&grant_type=x") == "code=1&grant_type=x")
    }

    @Test("Each of several fields with a secret name is redacted")
    func severalFields() {
        var headers: Headers = ["Set-Cookie": "s3cret"]
        headers.append("s3cret", for: "set-cookie")
        #expect(LogRedaction.standard.redacted(headers).map(\.value) == ["<redacted>", "<redacted>"])
    }

    @Test("Added names apply to headers in any case, in addition to the standard names")
    func addedHeaders() throws {
        let headers = ["x-DEVICE": "s3cret", "cookie": "s3cret", "X-Other": "1"]
        let request = try LogEvent.Request(
            "https://host.example/", headers: headers, redaction: Self.redaction)
        #expect(request.headers == ["X-Other": "1", "cookie": "<redacted>", "x-DEVICE": "<redacted>"])
        let standard = try LogEvent.Request("https://host.example/", headers: headers)
        #expect(standard.headers["X-Device"] == "s3cret")
    }

    @Test("A redaction with other names redacts only those")
    func otherNames() throws {
        let request = try LogEvent.Request(
            "https://host.example/", headers: ["Cookie": "a", "X": "b"], redaction: LogRedaction(names: ["x"])
        )
        #expect(request.headers == ["Cookie": "a", "X": "<redacted>"])
    }

    static let urls: [(url: String, logged: String)] = [
        ("https://h.example/a?b=1&c=2#d", "https://h.example/a?b=1&c=2#d"),
        ("https://h.example/?token=s3cret&b=1", "https://h.example/?token=<redacted>&b=1"),
        ("https://h.example/?b=1&TOKEN=s3cret", "https://h.example/?b=1&TOKEN=<redacted>"),
        (
            "https://h.example/?token=s3cret&token=s3cret",
            "https://h.example/?token=<redacted>&token=<redacted>"
        ),
        ("https://h.example/?token=", "https://h.example/?token=<redacted>"),
        ("https://h.example/?token=s3=cret;s3cret", "https://h.example/?token=<redacted>"),
        ("https://h.example/?b=1;token=s3cret", "https://h.example/?b=1;token=<redacted>"),
        ("https://h.example/?api%5Fke%79=s3cret", "https://h.example/?api%5Fke%79=<redacted>"),
        ("https://h.example/?token[]=s3cret", "https://h.example/?token[]=<redacted>"),
        ("https://h.example/?user%5Bpassword%5D=s3cret", "https://h.example/?user%5Bpassword%5D=<redacted>"),
        ("https://h.example/?tokens=1&mytoken=2", "https://h.example/?tokens=1&mytoken=2"),
        ("https://h.example/#token=s3cret", "https://h.example/#token=<redacted>"),
        ("https://u:s3cret@h.example/", "https://h.example/"),
        ("https://s3cret@h.example:8080/@x?y=@z", "https://h.example:8080/@x?y=@z"),
        ("https://u:s3@cret@h.example", "https://h.example"),
        ("https://u:s3/cret@h.example", "https://h.example"),
        ("https://u:s3?cr#et@h.example/", "https://h.example/"),
        ("https://u:s3 cr\"et@h.example/", "https://h.example/"),
        ("https://[::1]/@x", "https://[::1]/@x"), ("https://u:s3cret@[::1]:80/@x", "https://[::1]:80/@x"),
        ("https://h.example/?token=s3 cr\"et\n%zz", "https://h.example/?token=<redacted>"),
        ("https://h.example/?u=ftp://u:s3cret@f.example", "https://h.example/?u=ftp://f.example"),
        ("https://h.example/?+token=s3cret&b=1", "https://h.example/?+token=<redacted>&b=1"),
        ("https://h.example/?token%20=s3cret&b=1", "https://h.example/?token%20=<redacted>&b=1"),
        ("https://h.example/?%09token+=s3cret", "https://h.example/?%09token+=<redacted>"),
        ("https://h.example/?token=s3%26cret&b=1", "https://h.example/?token=<redacted>&b=1"),
        (
            "https://h.example/?to=https%3A%2F%2Fi%2F%3Ftoken%3Ds3cret%26a%3D1&b=1",
            "https://h.example/?to=<redacted>&b=1"
        ),
        (
            "https://h.example/?to=%2Fa%253Ftoken%253Ds3%252526cret&b=1",
            "https://h.example/?to=<redacted>&b=1"
        ),
        ("https://h.example/?to=%3Ftoken%3ds3=cret&b=1", "https://h.example/?to=<redacted>&b=1"),
        ("https://h.example/?to=https%3A%2F%2Fu%3As3cret%40i%2Fx", "https://h.example/?to=<redacted>"),
        ("https://h.example/?f=%7B%22api_key%22%3A%22s3cret%22%7D", "https://h.example/?f=<redacted>"),
        (
            "https://h.example/?f=%7B%22key%22%3A%22a%20b%22%7D",
            "https://h.example/?f=%7B%22key%22%3A%22a%20b%22%7D"
        ),
        (
            "https://h.example/?to=%2F%2Fi%3Ax%2Fa&mail=me@home",
            "https://h.example/?to=%2F%2Fi%3Ax%2Fa&mail=me@home"
        ),
        ("u:s3cret@h.example/x", "h.example/x"), ("u:s3@cr%et@h.example", "h.example"),
        ("https://h.example/?proxy=u:s3cret@i&b=1", "https://h.example/?proxy=i&b=1"),
        ("https://h.example/?proxy=u%3As3cret%40i&b=1", "https://h.example/?proxy=<redacted>&b=1"),
        ("h.example:80/@x", "h.example:80/@x"), ("git@h.example:a/b", "git@h.example:a/b"),
        ("%", "%"), ("%3", "%3"), ("%25", "%25"), ("%3D", "%3D"),
        ("", ""), ("=", "="), ("//", "//"), ("@", "@"), ("\"", "\""), ("https://", "https://"),
        ("https://:@", "https://"), ("?token", "?token"),
    ]

    @Test("Users, passwords and secret query items are redacted in valid and invalid URLs", arguments: urls)
    func url(url: String, logged: String) {
        #expect(Self.redaction.redactedURL(url) == logged)
    }

    @Test("A request that can't be encoded is logged without its secrets")
    func unencodable() {
        let request = Request(
            .GET, baseURLString: "https://u:s3cret@h.example", path: "/%zz?token=s3cret",
            options: [.header("Cookie", "s3cret")])
        let logged = LogEvent.Request(request, id: 1, redaction: Self.redaction)
        #expect(logged.method == "GET")
        #expect(logged.url.contains("h.example"))
        #expect(!"\(logged)".contains("s3cret"))
    }

    static let texts: [(text: String, logged: String)] = [
        ("no URL, a = b, me@home", "no URL, a = b, me@home"),
        ("\"https://u:s3 cret@h/\" is not an HTTP URL", "\"https://h/\" is not an HTTP URL"),
        ("\"https://u:1 s3cret@h/\" is not an HTTP URL", "\"https://h/\" is not an HTTP URL"),
        ("\"/?token=s3 \ncret%zz\" holds a stray %", "\"/?token=<redacted>\" holds a stray %"),
        (
            "{URL=https://u:s3cret@h/?token=s3cret, Other=https://s3cret@h/?a=1}",
            "{URL=https://h/?token=<redacted> Other=https://h/?a=1}"
        ),
        ("GET https://h/?token=s3cret [status 404]", "GET https://h/?token=<redacted> [status 404]"),
        ("\"u:s3cret@h/\" is not an HTTP URL", "\"h/\" is not an HTTP URL"),
        ("no proxy at u:s3cret@h, since 12:30", "no proxy at h, since 12:30"),
        (#"{"a":"{\"b\":\"/?token=s3cret\"}"}"#, #"{"a":"{\"b\":\"/?token=<redacted>\"}"}"#),
        (#"no "a=1" token="s3 cret" b=2"#, #"no "a=1" token=<redacted>" b=2"#),
        (#"a "s3cret" b"#, #"a "s3cret" b"#),
    ]

    @Test("The secrets of URLs in an error's text are redacted, and the other words stay", arguments: texts)
    func text(text: String, logged: String) throws {
        #expect(Self.redaction.redacted(text) == logged)
        let request = try LogEvent.Request("https://h.example/")
        let error = ServiceError(.thrown, detail: text)
        #expect(
            LogEvent.failed(request, error: error, redaction: Self.redaction)
                == .failed(request, reason: "thrown: \(logged)"))
    }

    @Test("A failure's text leaves out the request, and the URLs of its causes are redacted")
    func failure() throws {
        let url = "https://u:s3cret@h.example/?token=s3cret"
        let cause = URLError(
            .timedOut,
            userInfo: [
                "NSErrorFailingURLStringKey": url,
                NSURLErrorFailingURLErrorKey: try #require(URL(string: url)),
            ])
        let error = ServiceError(
            .transport(cause), request: Request(.GET, baseURLString: url), underlying: cause)
        #expect(!"\(error)".contains("s3cret"))
        let request = try LogEvent.Request(url, redaction: Self.redaction)
        let event = LogEvent.failed(request, error: error, redaction: Self.redaction)
        #expect(event.description.hasPrefix("[7] GET https://h.example/?token=<redacted> failed: transport"))
        #expect(!"\(event)\(String(reflecting: event))".contains("s3cret"))
    }

    @Test("URLs in header fields are redacted")
    func locations() throws {
        let response = try LogEvent.Response(
            302,
            headers: [
                "Location": "https://u:s3cret@h.example/?token=s3cret&b=1", "Link": "</?token=s3cret>",
            ],
            redaction: Self.redaction)
        #expect(response.headers["Location"] == "https://h.example/?token=<redacted>&b=1")
        #expect(response.headers["Link"] == "</?token=<redacted>")
    }
}
