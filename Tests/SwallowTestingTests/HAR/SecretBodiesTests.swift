import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("Secrets in a recording's bodies")
struct SecretBodiesTests {
    private let folder = Folder()

    private func recorded(_ body: String, type: String?) async throws -> HAR.Response {
        let headers = type.map { ["Content-Type": $0] } ?? [:]
        let source = Answering(200, headers, Data(body.utf8))
        _ = await Call(.to("http://h/a"), source.recording(to: folder.file)).resumed().outcome
        return try #require(try folder.har.entries.last).response
    }

    @Test(
        "are found in JSON, whatever the media type says",
        arguments: [
            #" {"token":"s3cret"}"#, #"[{"api_key":"s3cret"}]"#, #"{"a":"{\"token\":\"s3cret\"}"}"#,
            #"{"url":"https://u:s3cret@h/?b=1&token=s3cret"}"#, #"["https://h/?jwt=s3cret"]"#,
        ], ["application/json", "text/plain", "", nil])
    func json(body: String, type: String?) async throws {
        let response = try await recorded(body, type: type)
        let text = String(decoding: try #require(response.content.data), as: UTF8.self)
        #expect(!text.contains("s3cret") && text.contains("<redacted>"))
        #expect(try !folder.text.contains("s3cret"))
    }

    @Test(
        "take the whole body with them if it can't be parsed",
        arguments: [
            (#"{"token":["s3cret"#, "application/json"), ("\u{FEFF}{s3cret", "application/problem+json"),
            ("{\"a\":1}\n{\"token\":\"s3cret\"}\n", "application/json"),
            ("a=s3cret%", "application/x-www-form-urlencoded"),
            (")]}'\n{\"token\":\"s3cret\"}", "application/json"),
            ("data: a\rdata: s3cret", "text/event-stream"),
        ])
    func unparsable(body: String, type: String) async throws {
        #expect(try await recorded(body, type: type).content.text == "<redacted>")
    }

    @Test(
        "stay in a body of another format, and each byte of it",
        arguments: [
            "a=1&password=s3cret", "callback({\"token\":\"s3cret\"})", "{\"token\":[\"s3cret",
            "see https://h/?token=s3cret",
        ], ["text/plain", "text/html", "application/xml", ""])
    func others(body: String, type: String) async throws {
        #expect(try await recorded(body, type: type).content.text == body)
    }

    @Test("of JSON keep it JSON")
    func strings() async throws {
        let body = #"{"a":"{\"token\":\"s3cret\",\"b\":1}","to":"/x?token=s3cret&c=d","n":1.50}"#
        let response = try await recorded(body, type: "application/json")
        let json = try JSON(parsing: try #require(response.content.data))
        #expect(json["a"].string == #"{"token":"<redacted>","b":1}"#)
        #expect(json["to"].string == "/x?token=<redacted>&c=d")
        #expect(json["n"].double == 1.5)
    }

    @Test("of events are found, also where the data is in several lines, and nothing else changes")
    func events() async throws {
        let body = """
            : token=s3cret
            event: login
            data: {"token":
            data: "s3cret", "list": [1]}
            id: 7

            data: {"password":"s3cret"}\r
            \r
            data: { "a" :  1 }

            data: "token": "s3
            """
        let response = try await recorded(body, type: "text/event-stream")
        let text = String(decoding: try #require(response.content.data), as: UTF8.self)
        #expect(!text.contains("s3"))
        #expect(text.contains("event: login\ndata:{\"token\":\"<redacted>\",\"list\":[1]}\nid: 7\n\n"))
        #expect(text.contains("data:{\"password\":\"<redacted>\"}\n\r\ndata: { \"a\" :  1 }\n\n"))
    }

    @Test(
        "of events leave each other byte: empty and indented lines, line ends, comments, and the order of fields",
        arguments: ["\n", "\r\n"])
    func eventLines(end: String) async throws {
        let lines = [
            "data: see token=s3cret", "id: 1", "data:", "data:      indented  ", "data", ": \"quoted", "",
            "event:x", "data: [DONE]", "", ": jwt=s3cret", "data: 5\" disc",
        ]
        let body = lines.joined(separator: end)
        let response = try await recorded(body, type: "text/event-stream")
        #expect(response.content.text == body.replacing("s3cret", with: "<redacted>"))
    }

    @Test(
        "don't include addresses such as mailto:ada@h: a user stands between // and @",
        arguments: [
            "mailto:ada@h", "acct:ada@h", "sip:ada@h:5060", "xmpp:ada@h/x", "npm:@a/b@1.2",
            "a: npm:left@1 b:c@d",
        ])
    func addresses(text: String) async throws {
        let body = "{\"a\": \"\(text)\", \"b\": [1,  2]}"
        #expect(try await recorded(body, type: "application/json").content.text == body)
        let user = body.replacing(text, with: "https://s3cret:x@h/")
        let shown = try await recorded(user, type: "text/plain").content.text
        #expect(shown?.contains("s3cret") == false)
    }

    @Test("don't change a body that has none, nor bytes that are no text")
    func untouched() async throws {
        let nothing = "\n{ \"code\" : 1.0,  \"key\" : \"b=c\" }"
        #expect(try await recorded(nothing, type: "application/json").content.text == nothing)
        let bytes = "\0{\"token\":\"x\"}"
        #expect(try await recorded(bytes, type: "image/png").content.data == Data(bytes.utf8))
    }

    @Test("of forms in parts are found by the names of the fields, those that the package itself sends too")
    func multipart() async throws {
        let service = WebService.test(Answering().recording(to: folder.file))
        let form = Request.Option.multipart { form in
            form.append("ada", named: "user")
            form.append("s3cret", named: "password")
            form.append(Data("s3cret\r\n\0".utf8), named: "user[token]", fileName: "t.bin")
            form.append(Data(#"{"jwt":"s3cret"}"#.utf8), named: "json", contentType: "application/json")
            form.append("s3cret", named: "code")
            form.append("authorization_code", named: "grant_type")
        }
        _ = try await service.POST("/login", options: [form]).data
        let sent = try #require(try folder.har.entries.first).request
        let text = String(decoding: try #require(sent.postData?.data), as: UTF8.self)
        #expect(try !(folder.text + text).contains("s3cret"))
        #expect(text.contains("\"password\"\r\n\r\n<redacted>\r\n--"))
        #expect(text.contains("\r\n\r\nada\r\n--") && text.contains("{\"jwt\":\"<redacted>\"}\r\n--"))
        #expect(text.hasSuffix("\r\n\r\nauthorization_code\r\n--\(boundary(sent))--\r\n"))
        let har = try folder.har
        #expect(HAR.Redaction.standard.redacted(har) == har)
    }

    private func boundary(_ request: HAR.Request) -> String {
        let type = request.postData?.mimeType ?? ""
        return String(type.split(separator: "=").last ?? "")
    }

    @Test(
        "are found in forms that are broken, or in nobody's format",
        arguments: [
            ("multipart/form-data", "--x\r\nContent-Disposition: form-data; name=token\r\n\r\ns3cret"),
            (
                "multipart/form-data; boundary=x",
                "--x\r\ncontent-disposition: form-data; NAME=\"token\"\r\n\r\ns3cret\r\n--x--"
            ),
            ("multipart/mixed; boundary=\"x\"", "--x\r\n\r\n{\"token\":\"s3cret\"}\r\n--x--"),
            ("application/x-www-form-urlencoded", #"{"token":"s3cret"}"#),
            ("multipart/form-data", "{\"token\":\"s3cret\"}"),
            (
                "multipart/form-data; boundary=x",
                "--x\nContent-Disposition: form-data; name=token\n\ns3cret\n--x--\n"
            ),
            (
                "multipart/form-data; boundary=y",
                "--x\r\nContent-Disposition: form-data; name=token\r\n\r\ns3cret\r\n--x--"
            ),
            ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=token\rs3cret"),
            ("application/x-www-form-urlencoded", "to=%2F%3Ftoken%3Ds3cret&a=1"),
            ("application/x-www-form-urlencoded", "a=%7B%22token%22%3A%22s3cret%22%7D"),
            ("application/x-www-form-urlencoded; charset=utf-8", "code=s3cret&grant_type=authorization_code"),
        ])
    func forms(type: String, body: String) throws {
        let request = HAR.Request(
            method: "POST", url: "http://h/a", postData: HAR.PostData(Data(body.utf8), mimeType: type))
        let entry = HAR.Entry(start: Date(), request: request, response: HAR.Response(status: 200))
        let redacted = HAR.Redaction.standard.redacted(entry)
        #expect(!redacted.json.description.contains("s3cret"))
        #expect(redacted.request.postData?.mimeType == type)
    }

    @Test("of forms whose lines end with LF leave the other parts", arguments: ["\n", "\r\n"])
    func lineFeeds(end: String) throws {
        let text = [
            "--x", "Content-Disposition: form-data; name=a", "", "a\n\nb\r", "--x",
            "Content-Disposition: form-data; name=token", "", "s3cret", "--x--", "",
        ].joined(separator: end)
        let request = HAR.Request(
            method: "POST", url: "http://h/a",
            postData: HAR.PostData(Data(text.utf8), mimeType: "multipart/form-data; boundary=x"))
        let entry = HAR.Entry(start: Date(), request: request, response: HAR.Response(status: 200))
        let redacted = HAR.Redaction.standard.redacted(entry).request.postData?.data
        #expect(redacted == Data(text.replacing("s3cret", with: "<redacted>").utf8))
    }

    @Test("are taken out of all that other tools note: items without a URL's query, comments, names of files")
    func foreign() throws {
        let text = #"""
            {"log":{"version":"1.2","comment":"see https://h/?token=s3cret","creator":{"name":"x","version":"1"},
            "pages":[{"title":"t","comment":"u:s3cret@h"}],
            "entries":[{"comment":"{\"token\":\"s3cret\"}","startedDateTime":"2026-03-02T09:15:01Z","time":1,
            "request":{"method":"POST","url":"http://h/a","comment":"?jwt=s3cret",
            "headers":[{"name":"X-A","value":"{\"token\":\"s3cret\"}","comment":"token=s3cret"}],
            "cookies":[{"name":"a","value":"s3cret","comment":"sig=s3cret"},{"name":"s3cret","value":""}],
            "queryString":[{"name":"token","value":"s3cret"},{"name":"to","value":"/?token=s3cret"},
            {"name":"code","value":"s3cret"},{"name":"grant_type","value":"x"},{"name":"zip","value":"1"}],
            "postData":{"mimeType":"multipart/form-data","comment":"token=s3cret","params":[
            {"name":"password","value":"s3cret","fileName":"s3cret.txt","comment":"token=s3cret"},
            {"name":"token","fileName":"s3cret.txt"},{"name":"b","value":"c","fileName":"d?token=s3cret"}]}},
            "response":{"status":200,"comment":"token=s3cret","headers":[],"cookies":[],"redirectURL":"",
            "content":{"size":1,"mimeType":"text/plain","text":"x","comment":"token=s3cret"}},
            "cache":{"comment":"token=s3cret"},"timings":{"wait":1,"comment":"token=s3cret"}}]}}
            """#
        let har = HAR.Redaction.standard.redacted(try HAR(parsing: Data(text.utf8)))
        #expect(!String(decoding: har.data, as: UTF8.self).contains("s3cret"))
        let request = try #require(har.entries.first).request
        #expect(
            request.queryString.map(\.value) == ["<redacted>", "/?token=<redacted>", "<redacted>", "x", "1"])
        #expect(request.postData?.params.map(\.name) == ["password", "token", "b"])
        #expect(request.postData?.params[2].value == "c")
        #expect(HAR.Redaction.standard.redacted(har) == har)
    }

    @Test("of requests that are compressed can't be found, so the body isn't written")
    func compressed() async throws {
        let service = WebService.test(Answering().recording(to: folder.file))
        let options: [Request.Option] = [
            .header("Content-Encoding", "gzip"), .body(Self.zipped, contentType: "application/json"),
        ]
        _ = try await service.POST("/login", options: options).data
        let sent = try #require(try folder.har.entries.first).request
        #expect(sent.postData?.text == "<redacted>" && sent.postData?["_encoding"].exists == false)
        // Some tools keep what was compressed.
        let data = HAR.PostData(Data(#"{"token":"s3cret","a":1}"#.utf8), mimeType: "application/json")
        let request = HAR.Request(
            method: "POST", url: "http://h/", headers: [HAR.Field("content-encoding", "br")], postData: data)
        let entry = HAR.Entry(start: Date(), request: request, response: HAR.Response(status: 200))
        let redacted = HAR.Redaction.standard.redacted(entry).request
        #expect(redacted.postData?.text == #"{"token":"<redacted>","a":1}"#)
    }

    /// How gzip begins (RFC 1952 §2.3).
    private static let zipped = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x73, 0x33, 0x63, 0x72, 0x65, 0x74])

    @Test(
        "of a file outside of the recording's folder aren't replayed by a link",
        arguments: ["link", "up/../link", "folder/secret"])
    func links(name: String) throws {
        let outside = Folder()
        for url in [folder.url, outside.url, folder.url.appending(path: "up")] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        let secret = outside.url.appending(path: "secret")
        try Data("s3cret".utf8).write(to: secret)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link"), withDestinationURL: secret)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "folder"), withDestinationURL: outside.url)
        try Data("fine".utf8).write(to: folder.url.appending(path: "up/own"))
        let content = HAR.Content(json: ["size": 6, "mimeType": "text/plain", "_file": .string(name)])
        let error = #expect(throws: ServiceError.self) { try content.bytes(in: folder.url) }
        #expect(error.map { "\($0)" }?.contains("isn't in the folder of the recording") == true)
        let own = HAR.Content(json: ["size": 4, "mimeType": "text/plain", "_file": "up/own"])
        #expect(try own.bytes(in: folder.url) == Data("fine".utf8))
    }
}
