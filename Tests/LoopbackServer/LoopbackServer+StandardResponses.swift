import Foundation
import Swallow
import SwallowTesting

extension LoopbackServer {
    static func echo(_ request: Request) -> Response {
        let headers = request.headers.map { (name: $0.name.rawValue.lowercased(), value: $0.value) }
        let content: [String: Any] = [
            "method": request.method,
            "target": request.target,
            "path": request.path,
            "query": lastWins(request.queryItems),
            "queryItems": request.queryItems.map { [$0.name, $0.value] },
            "headers": Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" },
            "form": lastWins(request.formItems),
            "formItems": request.formItems.map { [$0.name, $0.value] },
            "body": String(decoding: request.body, as: UTF8.self),
            "json": (try? JSONSerialization.jsonObject(with: request.body, options: .fragmentsAllowed))
                ?? NSNull(),
        ]
        return json(content)
    }

    static func status(_ status: Int, _ request: Request) -> Response {
        .data(
            Data((request.queryValue("body") ?? "status \(status)").utf8),
            contentType: request.queryValue("type") ?? "text/plain; charset=utf-8", status: status)
    }

    static func headers(_ request: Request) -> Response {
        let headers = request.queryItems
        guard headers.allSatisfy({ HTTPSyntax.isToken($0.name) }) else { return .status(400) }
        var response = json(lastWins(headers))
        if headers.contains(where: { $0.name.equalsIgnoringCase("Content-Type") }) { response.headers = [] }
        response.headers += headers
        return response
    }

    static func redirect(_ request: Request) -> Response {
        guard let url = request.queryValue("url") else { return .status(400) }
        return .redirect(to: url, status: request.queryNumber("status") ?? 302)
    }

    static func drip(_ request: Request) -> Response {
        let count = min(request.queryNumber("chunks") ?? 5, 100_000)
        let chunk = octets(min(request.queryNumber("bytes") ?? 100, 1 << 20))
        let interval = Duration.milliseconds(request.queryNumber("every") ?? 10)
        return Response(
            headers: [("Content-Type", "application/octet-stream")],
            body: .drip(chunks: Array(repeating: chunk, count: count), every: interval))
    }

    static func chunked(_ chunks: [Data]) -> Response {
        Response(headers: [("Content-Type", "text/plain; charset=utf-8")], body: .chunked(chunks))
    }

    /// Returns "Grüße" in the charset, or in UTF-8 for an unknown charset.
    static func text(charset: String?) -> Response {
        let encodings: [String: String.Encoding] = [
            "iso-8859-1": .isoLatin1, "windows-1252": .windowsCP1252, "utf-16": .utf16,
            "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        ]
        let encoding = encodings[charset?.lowercased() ?? ""] ?? .utf8
        let type = charset.map { "text/plain; charset=\($0)" } ?? "text/plain"
        return .data("Grüße".data(using: encoding) ?? Data(), contentType: type)
    }

    static func gzip(_ container: Data) -> Response {
        var response = Response.json(container)
        response.headers.append(("Content-Encoding", "gzip"))
        return response
    }

    static func basicAuthentication(_ request: Request, user: String, password: String) -> Response {
        let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
        guard request.header("Authorization") == "Basic \(credentials)" else {
            return unauthorized(challenge: #"Basic realm="loopback""#)
        }
        return json(["authenticated": true, "user": user])
    }

    static func unauthorized(challenge: String) -> Response {
        var response = Response.json(#"{"message":"unauthorized"}"#, status: 401)
        response.headers.append(("WWW-Authenticate", challenge))
        return response
    }

    /// The body of `/bytes/N`. It is copied from a pattern, because appending single bytes takes longer than sending
    /// them.
    package static func octets(_ count: Int) -> Data {
        var data = Data(capacity: count)
        while data.count < count { data.append(octetPattern.prefix(count - data.count)) }
        return data
    }

    private static let octetPattern = Data((0..<251 * 64).map { UInt8($0 % 251) })

    private static func json(_ object: [String: Any]) -> Response {
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else {
            return .status(500)
        }
        return .json(data)
    }

    private static func lastWins(_ items: [(name: String, value: String)]) -> [String: String] {
        Dictionary(items.map { ($0.name, $0.value) }) { $1 }
    }
}

extension TestServer.Request {
    func queryValue(_ name: String) -> String? {
        queryItems.last { $0.name == name }?.value
    }

    func queryNumber(_ name: String) -> Int? {
        queryValue(name).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
