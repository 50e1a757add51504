import Foundation
import Testing
import TestSupport

@testable import Swallow

@Suite("Partial files")
struct PartialFileTests {
    private let folder: TemporaryFolder
    private let target: URL

    init() throws {
        folder = TemporaryFolder()
        target = folder.file("target.bin")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }

    private func part(resumes: Bool = true) throws -> PartialFile {
        try #require(try PartialFile(target: target, resumes: resumes))
    }

    private func record(_ tag: String = "\"a\"") throws -> DownloadRecord {
        try #require(DownloadRecord(of: head(200, ["ETag": tag, "Content-Length": "100"]), address: "x"))
    }

    private var content: String? { try? String(contentsOf: target, encoding: .utf8) }

    /// Leaves a partial file with these bytes.
    private func leave(_ text: String) throws {
        let file = try part()
        try file.begin(record())
        try file.write(Data(text.utf8), at: 0)
        file.abandon(isResumable: true)
    }

    @Test(
        "The target has the bytes after the file is finished, and no other file remains",
        arguments: [true, false])
    func finishing(resumes: Bool) throws {
        let file = try part(resumes: resumes)
        try file.begin(record())
        try file.write(Data("abc".utf8), at: 0)
        try file.write(Data("def".utf8), at: 3)
        #expect(content == nil)
        try file.finish(length: 6)
        #expect(content == "abcdef")
        #expect(folder.names == ["target.bin"])
    }

    @Test("An existing target stays unchanged until the download finishes, even for a process that reads it")
    func replacing() throws {
        try Data("old".utf8).write(to: target)
        let reader = try FileHandle(forReadingFrom: target)
        let file = try part()
        try file.begin(nil)
        try file.write(Data("new".utf8), at: 0)
        #expect(content == "old")
        try file.finish(length: 3)
        #expect(content == "new")
        #expect(try reader.readToEnd() == Data("old".utf8))
    }

    @Test("An abandoned partial file stays with its record if it can be resumed, otherwise it is deleted")
    func abandoning() throws {
        try leave("abc")
        #expect(folder.names == ["target.bin.swallow-part", "target.bin.swallow-record"])
        let file = try part(resumes: false)
        try file.begin(record())
        try file.write(Data("abc".utf8), at: 0)
        #expect(folder.names.count == 3)
        file.abandon(isResumable: true)
        #expect(folder.names.count == 2)
        try part().abandon(isResumable: false)
        #expect(folder.names == [])
    }

    @Test("A partial file from an earlier download can be resumed or started again")
    func remainder() throws {
        try leave("abc")
        let file = try part()
        let remainder = try #require(file.remainder)
        #expect(remainder.length == 3)
        #expect(try remainder.record == record())
        try file.write(Data("def".utf8), at: 2)
        try file.finish(length: 5)
        #expect(content == "abdef")
        try leave("abcdef")
        let second = try part()
        try second.begin(record("\"b\""))
        #expect(second.remainder == nil)
        try second.write(Data("x".utf8), at: 0)
        #expect(try second.remainder?.record == record("\"b\""))
        try second.finish(length: 1)
        #expect(content == "x")
    }

    @Test("A partial file without an intact record can't be resumed", arguments: [0, 10, nil])
    func damage(length: Int?) throws {
        try leave("abc")
        let record = folder.file("target.bin.swallow-record")
        if let length {
            try Data(contentsOf: record).prefix(length).write(to: record)
        } else {
            try FileManager.default.removeItem(at: record)
        }
        #expect(try part().remainder == nil)
    }

    @Test("A download that can't be resumed has no record")
    func recordGoes() throws {
        try leave("abc")
        let file = try part()
        try file.begin(nil)
        try file.write(Data("abc".utf8), at: 0)
        #expect(file.remainder == nil)
        #expect(folder.names == ["target.bin.swallow-part"])
    }

    @Test(
        "Only one download at a time uses a partial file, and the next one doesn't change the finished target"
    )
    func locking() throws {
        let first = try part()
        #expect(try PartialFile(target: target, resumes: true) == nil)
        #expect(try PartialFile(target: target, resumes: false) != nil)
        try first.begin(nil)
        try first.write(Data("abc".utf8), at: 0)
        try first.finish(length: 3)
        let second = try part()
        try second.begin(nil)
        try second.write(Data("xyz".utf8), at: 0)
        #expect(content == "abc")
        withExtendedLifetime(first) {}
    }

    @Test("A partial file that was truncated, deleted or replaced doesn't become the target")
    func interference() throws {
        let path = folder.file("target.bin.swallow-part")
        for change in [
            { path in
                let handle = try FileHandle(forWritingTo: path)
                try handle.truncate(atOffset: 3)
                try handle.close()
            },
            { path in try FileManager.default.removeItem(at: path) },
            { path in try Data("abcdef".utf8).write(to: path, options: .atomic) },
        ] as [(URL) throws -> Void] {
            let file = try part()
            try file.begin(record())
            try file.write(Data("abcdef".utf8), at: 0)
            try change(path)
            #expect(throws: ServiceError.self) { try file.finish(length: 6) }
            #expect(content == nil)
        }
    }

    @Test("A target that isn't a file URL of a file fails with .invalidRequest")
    func badTargets() throws {
        for target in [
            folder.url, URL(fileURLWithPath: folder.url.path, isDirectory: false),
            try #require(URL(string: "https://h/a")), try #require(URL(string: "a")),
        ] {
            let error = #expect(throws: ServiceError.self) { try PartialFile(target: target, resumes: false) }
            #expect(error?.reason == .invalidRequest)
        }
    }

    @Test("An error of the file system includes its reason")
    func refusals() throws {
        try Data().write(to: target)
        for (path, word) in [("none/a", "No such file"), ("target.bin/a", "Not a directory")] {
            let error = #expect(throws: ServiceError.self) {
                try PartialFile(target: folder.file(path), resumes: true)
            }
            #expect(error?.reason == .transport(URLError(.cannotCreateFile)))
            #expect("\(try #require(error))".contains(word))
        }
    }

    @Test("A link in the place of the partial file is not followed")
    func links() throws {
        let victim = folder.file("victim")
        try Data("victim".utf8).write(to: victim)
        try FileManager.default.createSymbolicLink(
            at: folder.file("target.bin.swallow-part"), withDestinationURL: victim)
        #expect(throws: ServiceError.self) { try PartialFile(target: target, resumes: true) }
        #expect(try Data(contentsOf: victim) == Data("victim".utf8))
    }

    @Test("If the target becomes a folder during the download, the download can be resumed")
    func folderMeanwhile() throws {
        let file = try part()
        try file.begin(record())
        try file.write(Data("abc".utf8), at: 0)
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let error = #expect(throws: ServiceError.self) { try file.finish(length: 3) }
        #expect(error?.reason == .transport(URLError(.cannotMoveFile)))
        #expect(file.remainder?.length == 3)
    }

    @Test("A target whose name has 255 bytes can be downloaded")
    func longNames() throws {
        let target = folder.file(String(repeating: "x", count: 255))
        let file = try #require(try PartialFile(target: target, resumes: true))
        try file.begin(record())
        try file.write(Data("abc".utf8), at: 0)
        try file.finish(length: 3)
        #expect(try Data(contentsOf: target) == Data("abc".utf8))
        #expect(folder.names.count == 1)
    }

    @Test("A write that the file system rejects fails with a message for the user")
    func refusedWrites() throws {
        let file = try part()
        try file.begin(record())
        // The offset is larger than any file can be.
        let error = #expect(throws: ServiceError.self) { try file.write(Data("a".utf8), at: .max - 1) }
        #expect(error?.reason == .transport(URLError(.cannotWriteToFile)))
        #expect(error?.underlying is POSIXError)
        #expect(error?.userMessage == "The file is too large to be saved.")
    }

    @Test(
        "A file system error has a message for the user, and appears once in the log",
        arguments: [
            (ENOSPC, "There is no space left to save the file."),
            (EDQUOT, "There is no space left to save the file."),
            (EFBIG, "The file is too large to be saved."),
            (EACCES, "The file can't be saved because its folder can't be written to."),
            (EPERM, "The file can't be saved because its folder can't be written to."),
            (EROFS, "The file can't be saved because its folder can't be written to."),
            (ENOENT, "The file can't be saved because its folder doesn't exist."),
            (ENOTDIR, "The file can't be saved because its folder doesn't exist."),
            (EIO, "The file could not be saved."),
        ])
    func messages(code: Int32, message: String) throws {
        for step in [URLError.Code.cannotCreateFile, .cannotWriteToFile, .cannotMoveFile] {
            let error = PartialFile.failure(step, "/a/b", SystemFile.Failure(code: code))
            #expect(error.userMessage == message)
            let words = String(cString: strerror(code))
            #expect("\(error)".components(separatedBy: words).count == 2, "\(error)")
            #expect("\(error)".contains("/a/b"))
        }
    }
}
