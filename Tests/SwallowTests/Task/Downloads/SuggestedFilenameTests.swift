import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("Downloads named by their response")
struct SuggestedFilenameTests: Downloading {
    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    @Test(
        "The name comes from the Content-Disposition field, otherwise from the URL",
        arguments: [
            ("attachment; filename=\"film.mp4\"", "film.mp4"), ("attachment; filename=film.mp4", "film.mp4"),
            ("attachment; FileName = \"a b.txt\" ; x=y", "a b.txt"),
            ("attachment; filename=\"x.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
            ("attachment; filename*=ISO-8859-1''%A3.txt; filename=pound.txt", "£.txt"),
            ("attachment; filename*=UTF-8''%FF; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a;b\\\"c.txt\"", "a;b\"c.txt"),
            ("attachment", "a b.html"), ("", "a b.html"),
            ("attachment; filename=\"open; x.txt", "open; x.txt"),
            ("attachment; filename=\"\"", "a b.html"), ("attachment; filename=", "a b.html"),
            ("attachment; filename=..", "a b.html"), ("attachment; filename*=UTF-8''", "a b.html"),
            ("attachment; filename=x.txt; filename*=UTF-8''", "x.txt"),
        ])
    func names(field: String, name: String) throws {
        let head = try head(200, ["Content-Disposition": field], url: "http://h.example/c/a%20b.html?q=1")
        #expect(SuggestedFilename(of: head).text == name)
    }

    @Test("If neither the field nor the URL has a name, the name is \"download\"")
    func nameless() throws {
        for field in ["attachment; filename=\"\"", "attachment"] {
            let head = try head(200, ["Content-Disposition": field], url: "http://h.example/")
            #expect(SuggestedFilename(of: head).text == "download")
        }
    }

    /// Cases of greenbytes' tc2231, Chromium, jshttp and httplint on which they agree. If the field has no
    /// name, the name comes from the URL.
    @Test(
        "The name is the same as in browsers",
        arguments: [
            ("inline; filename=\"foo.html\"", "foo.html"), ("filename=foo.html", "foo.html"),
            ("; filename=foo.html", "foo.html"), ("x=y; filename=foo.html", "foo.html"),
            ("attachment; ;filename=foo", "foo"), ("attachment; filename=foo.html ;", "foo.html"),
            ("attachment; filename=foo bar.html", "foo bar.html"), ("filename \t =abcde.pdf", "abcde.pdf"),
            ("attachment; filename=abc,de.pdf", "abc,de.pdf"),
            ("attachment; filename='foo.bar'", "'foo.bar'"),
            ("attachment; filename=foo[1](2).html", "foo[1](2).html"),
            ("filename=\"abcdef.pdf", "abcdef.pdf"),
            ("attachment; filename=\"f\\oo.html\"", "foo.html"),
            ("attachment; filename=\"\\\"quoting\\\" tested.html\"", "\"quoting\" tested.html"),
            ("attachment; filename=\"Here's a semicolon;.html\"", "Here's a semicolon;.html"),
            ("attachment; foo=\"\\\"\\\\\";filename=\"foo.html\"", "foo.html"),
            ("attachment; filename=\"foo.html\"; filename=\"bar.html\"", "foo.html"),
            ("attachment; filename=\"foo-ä.html\"", "foo-ä.html"),
            ("attachment; filename=\"50%.html\"", "50%.html"),
            ("attachment; filename=\"/foo.html\"", "foo.html"), ("inline; name=\"foo.html\"", "url"),
            ("attachment; example=\"filename=example.txt\"", "url"),
            ("attachment; xfilename=foo.html", "url"),
            ("attachment; foo=foo filename=bar", "url"), ("attachment filename=bar", "url"),
            ("attachment; filename*0=\"foo.\"; filename*1=\"html\"", "url"),
            ("attachment; filename=\"foo-ae.html\"; filename*=UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            ("attachment; filename*=UTF-8''foo-%c3%a4.html; filename=\"foo-ae.html\"", "foo-ä.html"),
            ("attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
            ("attachment; filename*=iso-8859-1'en'foo.html", "foo.html"),
            ("attachment; filename*=EUC-JP''%B7%DD%BD%D13%2Epng", "芸術3.png"),
            ("inline; filename*=Euc-Kr'ko'%BF%B9%BC%FA%2Epng", "예술.png"),
            ("attachment; filename*=windows-1252''caf%E9.png", "café.png"),
            ("inline; filename*=iso88591''cafe foo.png", "cafe foo.png"),
            ("attachment; filename*0*=ISO-8859-15''euro%a4; filename*=ISO-8859-1''sign%a4", "sign¤"),
            ("attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            ("attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
            ("attachment; filename *=UTF-8''foo-%c3%a4.html", "url"),
            ("attachment; filename*=UTF-8''A-%2541.html", "A-%41.html"),
            ("attachment; filename*=UTF-8''%5cfoo.html", "foo.html"),
            ("attachment; filename*=UTF-8'foo-%c3%a4.html", "url"),
            ("attachment; filename*=UTF-8''foo%", "url"),
            ("attachment; filename*=UTF-8''f%oo.html", "url"), ("attachment; filename*=foo.html", "url"),
            ("attachment; filename*=utf-8''foo-%E4.html", "url"),
            ("attachment; filename*='en'foo.html'", "url"),
            ("attachment; filename*=bogus_charset''foo.html'", "url"),
            ("attachment; filename*=iso-8859-1'es'fú.html", "url"),
            ("attachment; filename=\"invoice.pdf\"; filename*=ISO-8859-1''report%2", "invoice.pdf"),
        ])
    func browsers(field: String, name: String) throws {
        let head = try head(200, ["Content-Disposition": field], url: "http://h.example/c/url")
        let found = SuggestedFilename(of: head).text
        #expect(found.precomposedStringWithCanonicalMapping == name)
    }

    @Test(
        "The name is always a valid name of a visible file in the folder",
        arguments: [
            ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("C:\\Windows\\a.exe", "a.exe"),
            ("..", "download"), (".", "download"), ("", "download"), ("/", "download"), ("a/", "download"),
            (".bashrc", "bashrc"), ("...a..", "a"), (" a ", "a"), ("a\u{0}b\nc", "abc"),
            ("gpj.\u{202E}exe", "gpj.exe"), ("a:b", "ab"), ("~", "~"),
            ("film.swallow-part", "film-swallow-part"), ("film.Swallow-Record", "film-Swallow-Record"),
            ("a\u{301}/\u{301}b", "\u{301}b"),
            ("a\u{200B}b\u{2060}c\u{AD}d\u{FEFF}.txt", "abcd.txt"), ("\u{200B}", "download"),
            ("gpj.\u{200F}\u{061C}\u{2067}exe\u{2069}", "gpj.exe"), ("a\u{3164}\u{180E}b", "ab"),
        ])
    func cleaning(suggestion: String, name: String) {
        #expect(Array(SuggestedFilename(suggestion).text.utf8) == Array(name.utf8))
    }

    @Test("A long name keeps its extension")
    func long() {
        let name = SuggestedFilename(String(repeating: "ä", count: 5000) + ".mp4").text
        #expect(name.utf8.count <= 200 && name.hasSuffix("ä.mp4"))
        #expect(SuggestedFilename(String(repeating: ".", count: 100_000) + "x").text == "x")
    }

    private func service(_ name: String) -> WebService {
        let stub = StubDataSource()
        let headers: Headers = ["Content-Disposition": "attachment; filename=\"\(name)\""]
        stub.stub(.GET, "/file", .data(Data("new".utf8), headers: headers))
        return .test(stub)
    }

    @Test("A download into a folder has the suggested name, and replaces no other file")
    func intoFolders() async throws {
        let service = service("../film.mp4")
        for name in ["film.mp4", "film-2.mp4", "film-3.mp4"] {
            let files = Recorder<URL>()
            let task = service.GET("/file", options: [.download(into: folder.url)])
                .responseFile(.utility) { files.append($0) }
            #expect(try await task.content(as: URL.self).path == folder.file(name).path)
            #expect(files.values.map(\.path) == [folder.file(name).path])
            #expect(try await task.text == "new")
        }
        #expect(folder.names == ["film-2.mp4", "film-3.mp4", "film.mp4"])
    }

    @Test("A link with the suggested name is not followed")
    func links() async throws {
        let victim = folder.file("victim")
        try FileManager.default.createSymbolicLink(at: folder.file("a.txt"), withDestinationURL: victim)
        let file = try await service("a.txt").GET("/file", options: [.download(into: folder.url)])
            .content(as: URL.self)
        #expect(file.lastPathComponent == "a-2.txt")
        #expect(!FileManager.default.fileExists(atPath: victim.path))
    }

    @Test("A cancel while the file is moved to its name leaves nothing in the folder")
    func lateCancel() async throws {
        let place = Request.Option.download(into: folder.url)
        var service = service("film.mp4")
        service.startTasksImmediately = false
        let request = service.GET("/file", options: [place]).request
        let sink = DownloadSink(try #require(request.download), of: request)
        let urlRequest = try request.urlRequest()
        await withCheckedContinuation { continuation in
            sink.open(for: urlRequest) { _ in continuation.resume() }
        }
        let head = try head(200, ["Content-Disposition": "attachment; filename=film.mp4"])
        guard case .final = sink.decision(on: head) else { return #expect(Bool(false), "not accepted") }
        sink.begin(head, for: SinkOwner(task: nil))
        sink.receive(Data("new".utf8))
        let names = await withCheckedContinuation { continuation in
            sink.complete { [folder] _ in
                let names = folder.names
                sink.fail(with: .cancelled)
                // The sink completes this call after it has handled the failure.
                sink.complete { _ in continuation.resume(returning: [names, folder.names]) }
            }
        }
        #expect(names == [["film.mp4"], []])
    }

    @Test("If several files are moved to the same name without hard links, exactly one succeeds")
    func withoutLinks() async throws {
        let folder = folder
        let target = folder.file("film").path
        for _ in 0..<200 {
            let got = try await withThrowingTaskGroup(of: Bool.self) { group in
                for name in ["a", "b", "c"] {
                    group.addTask {
                        let path = folder.file(name).path
                        return try SystemFile.new(path).moveWithoutLink(path, toFree: target)
                    }
                }
                return try await group.reduce(into: 0) { count, isMoved in count += isMoved ? 1 : 0 }
            }
            #expect(got == 1 && folder.names.count == 3 && folder.names.contains("film"))
            for name in folder.names { SystemFile.remove(folder.file(name).path) }
        }
    }

    @Test("A failed download leaves nothing in the folder")
    func failure() async throws {
        let service = WebService.test(server(cutting: [1000]))
        #expect(await service.GET("/file", options: [.download(into: folder.url)]).result.failure != nil)
        #expect(folder.names == [])
        let web = try #require(URL(string: "https://h.example/"))
        let error = await service.GET("/file", options: [.download(into: web)]).result.failure
        #expect(error?.reason == .invalidRequest)
    }

    @Test("A temporary download has a unique name with the extension of the suggested name")
    func temporary() async throws {
        let task = service("film.mp4").GET("/file", options: [.temporaryDownload])
        let file = try await task.content(as: URL.self)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(file.lastPathComponent.hasPrefix("Swallow-") && file.pathExtension == "mp4")
        #expect(
            file.deletingLastPathComponent().standardizedFileURL.path
                == FileManager.default.temporaryDirectory.standardizedFileURL.path)
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
    }

    @Test("Without createsFolders, a download to a missing folder fails, and with it the folder is created")
    func folders() async throws {
        let service = service("film.mp4")
        let inner = folder.url.appendingPathComponent("a/b/c", isDirectory: true)
        for isWanted in [false, true] {
            let options: [Request.Option] = [
                .download(to: inner.appendingPathComponent("x"), createsFolders: isWanted),
                .download(to: inner.appendingPathComponent("d/y"), resumes: true, createsFolders: isWanted),
                .download(into: inner.appendingPathComponent("e"), createsFolders: isWanted),
            ]
            for option in options {
                let failure = await service.GET("/file", options: [option]).result.failure
                #expect(failure?.code == (isWanted ? nil : .cannotCreateFile))
                if !isWanted {
                    #expect(
                        failure?.userMessage == "The file can't be saved because its folder doesn't exist.")
                }
            }
        }
        for path in ["x", "d/y", "e/film.mp4"] {
            #expect(try Data(contentsOf: inner.appendingPathComponent(path)) == Data("new".utf8))
        }
        try Data().write(to: target)
        let option = Request.Option.download(to: target.appendingPathComponent("z"), createsFolders: true)
        #expect(await service.GET("/file", options: [option]).result.failure?.code == .cannotCreateFile)
    }
}
