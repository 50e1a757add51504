import Foundation
import SwallowTesting

extension LoopbackServer {
    /// Routes similar to httpbin's routes, for tests without their own handler.
    ///
    /// | Route | Response |
    /// |---|---|
    /// | `/echo` | The request as JSON: `method`, `target`, `path`, `query`, `queryItems`, `headers` (names in lower case), `form`, `formItems`, `body`, `json` (null if the body isn't JSON) |
    /// | `/status/N?body=…&type=…` | Status 200–599 and the text `status N`, or the requested body and type |
    /// | `/headers?Name=Value&…` | These header fields |
    /// | `/redirect/N` | N redirects with a relative `Location`, then `/echo` |
    /// | `/redirect-to?url=…&status=…` | One redirect, with status 302 by default |
    /// | `/delay/MILLISECONDS` | `{"delayed":true}` after that time |
    /// | `/drip?chunks=5&bytes=100&every=10` | Chunks with a pause of `every` milliseconds between them |
    /// | `/bytes/N` | N bytes: octet *i* is *i* mod 251 |
    /// | `/json`, `/text?charset=…`, `/empty` | A small object; `Grüße` in that charset; an empty body with the type JSON |
    /// | `/gzip`, `/gzip-corrupt` | JSON in a gzip container, and a corrupt gzip container |
    /// | `/chunked/N` | N chunks, `chunk 0\n` first |
    /// | `/basic-auth/USER/PASS`, `/unauthorized` | 401 unless the credential is correct; always 401 with a Bearer challenge without a realm |
    /// | `/informational/N` | N responses with status 103, then `/json` |
    /// | `/fault/…` | `close-before-head`, `reset-before-head`, `reset-mid-body`, `truncated`, `garbage`, `endless-headers`, `broken-chunk`, `stall`, `close-after` |
    ///
    /// Other routes have status 404 and `{"message":"no such route"}`.
    package static func standardRoutes(_ request: Request) -> Reply {
        let segments = request.path.split(separator: "/").map { PercentCoding.decode($0) }
        let name = segments.first ?? ""
        switch segments.count {
        case 1:
            return plainRoute(name, request) ?? noSuchRoute
        case 2 where name == "fault":
            return faults[segments[1]] ?? noSuchRoute
        case 2:
            guard let number = Int(segments[1]), number >= 0 else { return noSuchRoute }
            return numberedRoute(name, number, request) ?? noSuchRoute
        case 3 where name == "basic-auth":
            return .respond(basicAuthentication(request, user: segments[1], password: segments[2]))
        default:
            return noSuchRoute
        }
    }

    private static func plainRoute(_ name: String, _ request: Request) -> Reply? {
        switch name {
        case "json": .respond(smallJSON)
        case "echo": .respond(echo(request))
        case "headers": .respond(headers(request))
        case "redirect-to": .respond(redirect(request))
        case "drip": .respond(drip(request))
        case "text": .respond(text(charset: request.queryValue("charset")))
        case "empty": .respond(.json(""))
        case "gzip": .respond(gzip(GzipContainer.wrap(gzipContent)))
        case "gzip-corrupt": .respond(gzip(GzipContainer.corrupt(gzipContent)))
        case "unauthorized": .respond(unauthorized(challenge: "Bearer"))
        default: nil
        }
    }

    private static func numberedRoute(_ name: String, _ number: Int, _ request: Request) -> Reply? {
        switch name {
        case "status" where (200..<600).contains(number):
            .respond(status(number, request))
        case "redirect" where number == 0:
            .respond(echo(request))
        case "redirect":
            .respond(.redirect(to: number == 1 ? "/echo" : "/redirect/\(number - 1)"))
        case "delay":
            .delayed(.milliseconds(number), .json(#"{"delayed":true}"#))
        case "bytes" where number <= RequestReader.bodyLimit:
            .respond(.data(octets(number), contentType: "application/octet-stream"))
        case "chunked" where number <= 100_000:
            .respond(chunked((0..<number).map { Data("chunk \($0)\n".utf8) }))
        case "informational" where number <= 1000:
            .informational(times: number, then: smallJSON)
        default:
            nil
        }
    }

    private static let faults: [String: Reply] = [
        "close-before-head": .closeBeforeHead,
        "reset-before-head": .resetBeforeHead,
        "reset-mid-body": .resetMidBody,
        "truncated": .truncatedBody,
        "garbage": .garbage,
        "endless-headers": .endlessHeaders,
        "broken-chunk": .brokenChunk,
        "stall": .stall,
        "close-after": .closeAfterResponse(smallJSON),
    ]

    private static let noSuchRoute = Reply.respond(.json(#"{"message":"no such route"}"#, status: 404))
    private static let smallJSON = Response.json(#"{"id":1,"name":"Swallow","tags":["a","b"],"ok":true}"#)
    private static let gzipContent = Data(#"{"gzipped":true,"message":"unpacked"}"#.utf8)

    /// Routes whose bodies may have any size.
    ///
    /// | Route | Response |
    /// |---|---|
    /// | `/stream/echo` | The body's pieces as they arrive |
    /// | `/stream/report` | A description of the body |
    /// | `/stream/refuse`, `/stream/refuse-and-close` | 413 before the body, without `Connection: close` or with it |
    /// | `/stream/stall` | Nothing. The body isn't read |
    package static func standardStreams(_ request: Request) -> BodyReply? {
        switch request.path {
        case "/stream/echo": .echo
        case "/stream/report": .report
        case "/stream/refuse": .respond(.text("too large", status: 413))
        case "/stream/refuse-and-close":
            .respond(.text("too large", status: 413, headers: ["Connection": "close"]))
        case "/stream/stall": .stall
        default: nil
        }
    }

    /// Returns the Adler-32 checksum of bytes (RFC 1950 §8.2), as in the response of `/stream/report`.
    package static func checksum(_ data: Data) -> Int {
        var report = BodyReport()
        report.add(data)
        return report.sum
    }
}
