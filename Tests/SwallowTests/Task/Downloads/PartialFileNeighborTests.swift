import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Special files in the place of a download's target or partial file, or next to them.
@Suite("Partial files and other files in the folder")
struct PartialFileNeighborTests: Downloading {
    enum Kind: CaseIterable, Sendable {
        case pipe, socket, link, brokenLink

        func make(_ url: URL, in folder: TemporaryFolder) throws {
            switch self {
            case .pipe: #expect(mkfifo(url.path, 0o600) == 0)
            case .socket: try bindSocket(url.path)
            case .link:
                try Data("victim".utf8).write(to: folder.file("victim"))
                #expect(symlink("victim", url.path) == 0)
            case .brokenLink: #expect(symlink("nothing", url.path) == 0)
            }
        }
    }

    let place: DownloadPlace

    init() throws {
        place = try DownloadPlace()
    }

    private func part(resumes: Bool = true) throws -> PartialFile {
        try #require(try PartialFile(target: target, resumes: resumes))
    }

    private func record() throws -> DownloadRecord {
        try #require(DownloadRecord(of: head(200, ["ETag": "\"a\"", "Content-Length": "6"]), address: "x"))
    }

    @Test("A download to a pipe, socket or link fails before anything is sent", arguments: Kind.allCases)
    func refusedTargets(kind: Kind) async throws {
        try kind.make(target, in: folder)
        let mode = try mode(of: target)
        let server = server()
        for resumes in [true, false] {
            #expect(await download(server, resumes: resumes).failure?.reason == .invalidRequest)
        }
        #expect(server.requests.isEmpty)
        #expect(try self.mode(of: target) == mode)
        #expect(!folder.names.contains { $0.contains("swallow") })
    }

    @Test("A device can't be a target")
    func devices() throws {
        let error = #expect(throws: ServiceError.self) {
            try PartialFile(target: URL(fileURLWithPath: "/dev/null"), resumes: false)?
                .abandon(isResumable: false)
        }
        #expect(error?.reason == .invalidRequest)
        #expect("\(try #require(error))".contains("/dev/null"))
    }

    @Test(
        "If the target becomes a special file during the download, it stays, and the download can be resumed",
        arguments: Kind.allCases)
    func replacedMeanwhile(kind: Kind) throws {
        let file = try part()
        try file.begin(record())
        try file.write(Data("abcdef".utf8), at: 0)
        try kind.make(target, in: folder)
        let mode = try mode(of: target)
        let error = #expect(throws: ServiceError.self) { try file.finish(length: 6) }
        #expect(error?.reason == .invalidRequest)
        #expect(try self.mode(of: target) == mode)
        #expect(file.remainder?.length == 6)
    }

    @Test("A partial file that is a hard link to another file leaves that file unchanged")
    func linkedParts() async throws {
        let victim = folder.file("victim")
        try Data("victim".utf8).write(to: victim)
        let names = ["target.bin.swallow-part", "target.bin.swallow-record"]
        for name in names {
            try FileManager.default.linkItem(at: victim, to: folder.file(name))
        }
        _ = try await download(server()).get()
        #expect(try Data(contentsOf: victim) == Data("victim".utf8))
        #expect(written == Self.content)
        #expect(folder.names == ["target.bin", "victim"])
    }

    @Test("The partial file of a killed download is deleted by the next one")
    func leftovers() throws {
        let left = folder.file("target.bin.swallow-part-1")
        try Data("left".utf8).write(to: left)
        let other = folder.file("other")
        try FileManager.default.linkItem(at: left, to: other)
        let running = try part(resumes: false)
        let second = try part(resumes: false)
        #expect(folder.names == ["other", "target.bin.swallow-part-1", "target.bin.swallow-part-2"])
        try running.write(Data("abc".utf8), at: 0)
        try running.finish(length: 3)
        second.abandon(isResumable: false)
        #expect(written == Data("abc".utf8))
        #expect(try Data(contentsOf: other) == Data("left".utf8))
        #expect(folder.names == ["other", "target.bin"])
    }

    @Test("A partial file doesn't replace a link, a pipe or a folder")
    func strangers() throws {
        let names = (1...3).map { "target.bin.swallow-part-\($0)" }
        #expect(symlink("nothing", folder.file(names[0]).path) == 0)
        #expect(mkfifo(folder.file(names[1]).path, 0o600) == 0)
        try FileManager.default.createDirectory(
            at: folder.file(names[2]), withIntermediateDirectories: false)
        let file = try part(resumes: false)
        #expect(folder.names == names + ["target.bin.swallow-part-4"])
        file.abandon(isResumable: false)
        #expect(folder.names == names)
        #expect(try mode(of: folder.file(names[0])) == S_IFLNK)
    }

    @Test("A leftover partial file is also deleted if the target's name is too long for a suffix")
    func longNames() throws {
        let target = folder.file(String(repeating: "x", count: 255))
        let digest = SHA256.hexDigest(of: target.lastPathComponent)
        let left = folder.file("\(digest).swallow-part-1")
        try Data("left".utf8).write(to: left)
        let file = try #require(try PartialFile(target: target, resumes: false))
        file.abandon(isResumable: false)
        #expect(folder.names == [])
    }

    #if os(Linux) && canImport(Glibc)
        @Test("A download doesn't list its folder", arguments: [true, false])
        func listing(resumes: Bool) throws {
            let queue = inotify_init1(Int32(IN_NONBLOCK))
            defer { close(queue) }
            #expect(inotify_add_watch(queue, folder.url.path, UInt32(IN_OPEN)) >= 0)
            let file = try part(resumes: resumes)
            try file.begin(nil)
            try file.finish(length: 0)
            var events = [UInt8](repeating: 0, count: 65_536)
            let count = read(queue, &events, events.count)
            var (start, folders, files) = (0, 0, 0)
            // An event has a descriptor, a mask, a cookie and the length of the name that follows.
            while start + 16 <= count {
                let fields = events[start..<(start + 16)].withUnsafeBytes {
                    $0.bindMemory(to: UInt32.self).map { $0 }
                }
                if fields[1] & UInt32(IN_ISDIR) != 0 { folders += 1 } else { files += 1 }
                start += 16 + Int(fields[3])
            }
            #expect(files > 0 && folders == 0)
        }
    #endif

    @Test(
        "A response without content to a range request fails, and the download can still be resumed",
        arguments: [204, 205])
    func noContent(status: Int) async throws {
        let isAsked = Lock(false)
        let server = server { request in
            if isAsked.withLock({ $0.exchange(for: true) }) {
                return .ranged(Self.content, to: request, fields: Self.tag)
            }
            return .status(status)
        }
        _ = await download(server)
        #expect(await download(server).failure?.reason == .invalidResponse)
        #expect(folder.names == remainder)
        _ = try await download(server).get()
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=999-", "bytes=999-"])
        #expect(written == Self.content)
    }

    private func mode(of url: URL) throws -> mode_t {
        var status = stat()
        try #require(lstat(url.path, &status) == 0)
        return status.st_mode & S_IFMT
    }
}

private func bindSocket(_ path: String) throws {
    #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    #expect(result == 0)
}
