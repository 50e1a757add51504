import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The servers of `.ci/peers`.
private enum Peer: String, CaseIterable, CustomTestStringConvertible {
    case python, nginx

    static let isThere = Peer.allCases.allSatisfy { $0.base != nil }

    var testDescription: String { rawValue }
    var base: String? { ProcessInfo.processInfo.environment["SWALLOW_PEERS_\(rawValue.uppercased())"] }
    var service: WebService { .test(WebService.standardDataSource, base: base ?? "") }
}

@Suite(
    "Peers: Python and nginx as servers",
    .enabled(if: Peer.isThere, "run by .ci/peers swift test --filter Peers"))
struct PeersTests {
    private let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    @Test("A download is complete", arguments: Peer.allCases)
    private func download(peer: Peer) async throws {
        _ = try await peer.service.GET("/film", options: [.download(to: place.target)]).content(as: URL.self)
        #expect(try await Data(contentsOf: place.target) == peer.service.GET("/film").data)
        #expect(place.folder.names == ["target.bin"])
    }

    @Test(
        "A partial file is resumed if the server supports ranges, and downloaded again otherwise",
        arguments: Peer.allCases)
    private func resume(peer: Peer) async throws {
        let option = Request.Option.download(to: place.target, resumes: true)
        let first = peer.service.GET("/film", options: [option])
        let (part, record) = (
            place.folder.file("target.bin.swallow-part"), place.folder.file("target.bin.swallow-record")
        )
        // The partial file of an earlier download: the file's first bytes, and the record for this server's
        // response.
        let head = try await first.head
        _ = try await first.content(as: URL.self)
        let film = try Data(contentsOf: place.target)
        try FileManager.default.removeItem(at: place.target)
        let url = try #require(head.url)
        let made = try #require(
            DownloadRecord(of: head, address: DownloadRecord.address(of: URLRequest(url: url))))
        try film.prefix(1_000_000).write(to: part)
        try made.data.write(to: record)

        let second = peer.service.GET("/film", options: [option])
        _ = try await second.content(as: URL.self)
        #expect(try Data(contentsOf: place.target) == film)
        #expect(try await second.head.statusCode == (peer == .nginx ? 206 : 200))
        #expect(place.folder.names == ["target.bin"])
    }

    @Test("A file, a stream and a sequence are uploaded with a length or in chunks", arguments: Peer.allCases)
    private func upload(peer: Peer) async throws {
        let bytes = LoopbackServer.octets(2_000_000)
        let file = try TemporaryFile(bytes)
        let options: [Request.Option] = [
            .body(bytes, contentType: "video/mp4"), .body(file: file.url),
            .body(stream: { InputStream(data: bytes) }), .body(stream: MadeParts(count: 20, size: 100_000)),
        ]
        for (number, option) in options.enumerated() {
            let path: Request.Path = "/\(UUID())"
            let task = peer.service.PUT(path, options: [option])
            #expect(try await task.response.head.statusCode == 201)
            let stored = try await peer.service.GET(path).data
            #expect(stored.count == 2_000_000)
            if number < 3 { #expect(stored == bytes) }
        }
    }

    @Test("All lines of a chunked body are read, wherever the chunks divide them")
    func lines() async throws {
        var count = 0
        for try await line in Peer.python.service.GET("/lines").lines {
            if line != "line \(count) ☂" { Issue.record("\(line)") }
            count += 1
        }
        #expect(count == 100_000)
    }

    @Test("Server-sent events are read from chunks of seven bytes")
    func events() async throws {
        var count = 0
        for try await event in Peer.python.service.GET("/events").events {
            #expect(event.id == "\(count)" && event.event == "tick" && event.data == "\(count)\ngrüße")
            count += 1
        }
        #expect(count == 1000)
    }

    @Test("A form of fields, files and streams arrives completely")
    func form() async throws {
        let file = try TemporaryFile(LoopbackServer.octets(1_500_000), named: "film.mp4")
        let task = Peer.python.service.POST(
            "/form",
            options: [
                .multipart { form in
                    form.append("Gate", named: "title")
                    form.append(file: file.url, named: "film")
                    form.append(stream: { InputStream(data: Data(count: 100_000)) }, named: "stream")
                }
            ])
        let parts = try await task.json
        #expect(parts.elements.map(\.["name"].string) == ["title", "film", "stream"])
        #expect(parts.elements.map(\.["length"].int) == [4, 1_500_000, 100_000])
        #expect(parts[1]["fileName"].string == "film.mp4")
    }

    @Test("After a loop that ended early, the next request still succeeds", arguments: Peer.allCases)
    private func leaving(peer: Peer) async throws {
        for _ in 0..<3 {
            for try await _ in peer.service.GET("/film").body { break }
        }
        #expect(try await peer.service.GET("/film").data.count == 3_000_000)
    }
}
