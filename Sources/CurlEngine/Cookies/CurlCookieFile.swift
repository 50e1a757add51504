#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    /// Stores the cookies in a file. A running loop doesn't write them on its own thread, because a disk may be slow.
    package final class CurlCookieFile: Sendable {
        private struct State: Sendable {
            var lines: [String]?
            var wasReported = false
        }

        private let url: URL
        private let notSaved: (@Sendable (any Error) -> Void)?
        private let state = Lock(State())
        private let queue = DispatchQueue(label: "Swallow.cookies", qos: .utility)
        /// Prevents an older write from replacing a newer file.
        // This isn't a `Lock(())`, for which the thread sanitizer reports a race that doesn't exist.
        private let writing = Lock(false)

        private static let sizeLimit = 4 * 1024 * 1024

        init(_ url: URL, notSaved: (@Sendable (any Error) -> Void)?) {
            self.url = url
            self.notSaved = notSaved
        }

        /// Returns no lines if the file is missing, too large or a link, or if other users own it or may write to it.
        func read() -> [String] {
            let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return [] }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0,
                status.st_size <= Self.sizeLimit, let data = try? handle.readToEnd()
            else { return [] }
            return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func put(_ lines: [String]) {
            state.withLock { $0.lines = lines }
        }

        var isBehind: Bool { state.withLock { $0.lines != nil } }

        func saveSoon() {
            queue.async { self.saveOrReport() }
        }

        func saveOrReport() {
            if let failure = writePassed(isReported: true), failure.isFirst { notSaved?(failure.error) }
        }

        package func save() throws {
            if let failure = writePassed(isReported: false) { throw failure.error }
        }

        private func writePassed(isReported: Bool) -> (error: any Error, isFirst: Bool)? {
            writing.withLock { _ in
                guard let lines = state.withLock({ $0.lines.take() }) else { return nil }
                do {
                    try write(lines)
                    state.withLock { $0.wasReported = false }
                    return nil
                } catch {
                    return state.withLock { state in
                        // During the write, the loop may have passed newer cookies.
                        state.lines = state.lines ?? lines
                        defer { state.wasReported = state.wasReported || isReported }
                        return (error, !state.wasReported)
                    }
                }
            }
        }

        /// Replaces the file. Session cookies and expired cookies aren't saved (RFC 6265 §5.3).
        private func write(_ lines: [String]) throws {
            let now = Date()
            let cookies = lines.compactMap { EngineCookie(line: $0) }
                .filter { cookie in cookie.expires.map { $0 > now } ?? false }
            let text = "# Netscape HTTP Cookie File\n" + cookies.map { $0.line + "\n" }.joined()
            let new = url.path + ".\(getpid()).\(UInt64.random(in: 0 ... .max)).new"
            let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.fileError() }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do {
                try handle.write(contentsOf: Data(text.utf8))
                guard rename(new, url.path) == 0 else { throw Self.fileError() }
            } catch {
                unlink(new)
                throw error
            }
        }

        private static func fileError() -> CocoaError {
            let code = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            return CocoaError(.fileWriteUnknown, userInfo: code.map { [NSUnderlyingErrorKey: $0] } ?? [:])
        }
    }

    /// Decides when a running loop saves the cookies. It saves them after a change, but at most once a second.
    struct CurlSaveSchedule {
        private var isChanged = false
        private var earliest: UInt64 = 0

        private static let interval: UInt64 = 1_000_000_000

        mutating func noteChange() { isChanged = true }

        mutating func takeChange() -> Bool {
            defer { isChanged = false }
            return isChanged
        }

        /// The time at which the loop wakes up to save a change. It doesn't wake up to retry a failed save.
        var saveTime: UInt64 { isChanged ? earliest : CurlClock.never }

        mutating func shouldSave(_ now: UInt64, isBehind: Bool) -> Bool {
            guard isChanged || isBehind, now >= earliest else { return false }
            earliest = now + Self.interval
            return true
        }
    }
#endif
