import Foundation
import Swallow
@testable import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What is recorded")
struct RecordModeTests {
    private let folder = Folder()
    private let sent = Recorder<String>()

    private var server: Answering {
        let sent = sent
        return Answering { request in
            sent.append(request.url?.path ?? "")
            return (Data("live \(sent.values.count)".utf8), .test(request, 200), nil)
        }
    }

    private func send(_ mode: ReplayingDataSource.Mode, _ paths: String...) async -> [String] {
        let source = server.replaying("test", in: folder.url, mode: mode)
        var texts: [String] = []
        for path in paths {
            let outcome = await Call(.to("http://h/\(path)"), source).resumed().outcome
            texts.append(outcome.error == nil ? outcome.text : problem(outcome))
        }
        return texts
    }

    @Test("is nothing where only replaying is asked for, and a missing file is an error that helps")
    func replay() async {
        let words = await send(.replay, "a")[0]
        #expect(words.contains("the recording \(folder.file.path) doesn't exist"))
        #expect(words.contains("SWALLOW_RECORD=missing"))
        #expect(sent.values.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path))
    }

    @Test("is what is missing, and is replayed from then on")
    func missing() async throws {
        #expect(await send(.missing, "a", "b", "a") == ["live 1", "live 2", "live 3"])
        #expect(
            await send(.missing, "a", "c", "a", "b", "a") == [
                "live 1", "live 4", "live 3", "live 2", "live 5",
            ])
        #expect(sent.values == ["/a", "/b", "/a", "/c", "/a"])
        #expect(await send(.replay, "c", "a", "b") == ["live 4", "live 1", "live 2"])
        #expect(try folder.har.entries.count == 5)
    }

    @Test("is everything, in place of what earlier runs have recorded")
    func all() async throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let old = HAR.Entry(
            start: .now, request: HAR.Request(method: "GET", url: "http://h/old"),
            response: HAR.Response(status: 200))
        try HAR(entries: [old]).data.write(to: folder.file)
        #expect(await send(.all, "a", "a") == ["live 1", "live 2"])
        // Another test of the same run.
        #expect(await send(.all, "b") == ["live 3"])
        #expect(try folder.har.entries.map(\.request.url) == ["http://h/a", "http://h/a", "http://h/b"])
    }

    @Test(
        "goes by the environment",
        arguments: [
            (nil, .replay), ("", .replay), ("replay", .replay), ("missing", .missing), ("ALL", .all),
        ] as [(String?, ReplayingDataSource.Mode)])
    func environment(value: String?, mode: ReplayingDataSource.Mode) throws {
        let environment = value.map { ["SWALLOW_RECORD": $0] } ?? [:]
        #expect(try ReplayingDataSource.Mode(environment: environment) == mode)
    }

    @Test(
        "goes by the argument where there is one, and else by the environment",
        arguments: [
            (nil, "missing", ["live 1", "live 2"]), (.replay, "all", ["live 1", "none"]),
            (nil, "replay", ["live 1", "none"]), (.all, "replay", ["live 2", "live 3"]),
            (nil, "yes", ["none", "none"]),
        ] as [(ReplayingDataSource.Mode?, String, [String])])
    func argument(mode: ReplayingDataSource.Mode?, variable: String, expected: [String]) async {
        _ = await send(.missing, "a")
        let source = ReplayingDataSource(
            server, file: folder.file, mode: mode, ReplayingDataSource.Options(),
            environment: ["SWALLOW_RECORD": variable])
        var texts: [String] = []
        for path in ["a", "b"] {
            let outcome = await Call(.to("http://h/\(path)"), source).resumed().outcome
            texts.append(outcome.error == nil ? outcome.text : "none")
        }
        #expect(texts == expected)
    }

    @Test("is an error where the environment says something else")
    func unknownMode() {
        #expect { try ReplayingDataSource.Mode(environment: ["SWALLOW_RECORD": "yes"]) } throws: {
            "\($0)".contains(#"SWALLOW_RECORD is "yes""#)
        }
    }

    @Test("lies in Replays beside the test's file")
    func place() async {
        let source = Answering().replaying("nothing", mode: .replay)
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let words = problem(await Call(source).resumed().outcome)
        #expect(words.contains(folder.appending(path: "Replays/nothing.har").path))
        let service = WebService(
            baseURLString: "http://h", dataSource: .replaying("nothing", in: self.folder.url, mode: .replay))
        #expect(service.dataSource is ReplayingDataSource)
    }

    @Test("adds to a file that another writer has changed meanwhile")
    func otherWriter() async throws {
        let recording = server.recording(to: folder.file)
        _ = await Call(.to("http://h/1"), recording).resumed().outcome
        var har = try folder.har
        har.entries.append(har.entries[0])
        har["_note"] = "theirs"
        try har.data.write(to: folder.file, options: .atomic)
        _ = await Call(.to("http://h/2"), recording).resumed().outcome
        #expect(try folder.har.entries.map(\.request.url) == ["http://h/1", "http://h/1", "http://h/2"])
        #expect(try folder.har["_note"].string == "theirs")
    }

    @Test("fails the request where it can't be written")
    func unwritable() async throws {
        try Data().write(to: folder.url)
        let outcome = await Call(server.recording(to: folder.file)).resumed().outcome
        #expect(problem(outcome).contains("the recording \(folder.file.path) can't be written"))
        let noHAR = Folder()
        try FileManager.default.createDirectory(at: noHAR.url, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: noHAR.file)
        let refused = await Call(server.recording(to: noHAR.file)).resumed().outcome
        #expect(problem(refused).contains("can't be written"))
        #expect(try noHAR.text == "mine")
    }

    @Test("stands in the order in which requests were resumed, however they end")
    func order() async throws {
        let byHand = ByHand()
        let calls = (0..<4).map { Call(.to("http://h/\($0)"), byHand.recording(to: folder.file)).resumed() }
        for index in [2, 0, 3, 1] {
            byHand.transfers.values[index].end()
            _ = await calls[index].outcome
        }
        #expect(try folder.har.entries.map(\.request.url) == (0..<4).map { "http://h/\($0)" })
    }

    @Test("is whole though many record into one file at once, and each replay counts for itself")
    func concurrency() async throws {
        let (folder, server) = (folder, server)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    _ = await Call(.to("http://h/\(number % 8)"), server.recording(to: folder.file)).resumed()
                        .outcome
                }
            }
        }
        let har = try folder.har
        #expect(har.entries.count == 24)
        #expect(try har.data == Data(contentsOf: folder.file))
        #expect(Set(har.entries.map(\.request.url)).count == 8)
        await withTaskGroup(of: [Int?].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let source = server.replaying("test", in: folder.url, mode: .replay)
                    return (0..<24).map {
                        Call(.to("http://h/\($0 % 8)"), source).resumed().outcomes.first?.status
                    }
                }
            }
            for await statuses in group { #expect(statuses == Array(repeating: 200, count: 24)) }
        }
        #expect(sent.values.count == 24)
    }

    @Test("lets go of tasks that were never resumed, and of those that have ended")
    func memory() async {
        let gone = Recorder<String>()
        func owner(_ name: String) -> Owner { Owner { gone.append(name) } }
        do {
            let (unsent, sent) = (owner("unsent"), owner("sent"))
            let source = server.recording(to: folder.file)
            let ended = Event()
            _ = source.dataTask(with: .to("http://h/a")) { _, _, _ in _ = unsent }
            let task = source.dataTask(with: .to("http://h/a")) { [sent] _, _, _ in
                _ = sent
                ended.happen()
            }
            task.stream { [sent] _ in _ = sent }
            task.resume()
            await ended.wait()
        }
        #expect(Set(await gone.first(2)) == ["unsent", "sent"])
    }

    private final class Owner: Sendable {
        let onEnd: @Sendable () -> Void
        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
    }
}
