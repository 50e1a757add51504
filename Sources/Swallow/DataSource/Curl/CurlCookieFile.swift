#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc

    /// The file that keeps the cookies of a data source. The loop's thread passes the cookies, and a worker writes them, because
    /// a disk may be slow.
    final class CurlCookieFile: Sendable {
        private struct State: Sendable {
            /// The cookies that the file doesn't have yet, in the form of the file.
            var lines: [String]?
            /// Whether a worker writes the file, or is about to.
            var isBusy = false
            var wasReported = false
        }

        private let url: URL
        /// Receives the error when the cookies can't be saved: once, until they can be saved again.
        private let notSaved: (@Sendable (any Error) -> Void)?
        private let state = Lock(State())
        /// Held while the file is written, so that one write follows another. Only workers wait for it, and the loop at its end.
        private let writing = Lock(())

        private static let sizeLimit = 4 * 1024 * 1024

        init(_ url: URL, notSaved: (@Sendable (any Error) -> Void)?) {
            self.url = url
            self.notSaved = notSaved
        }

        /// Returns the lines of the file, if it belongs to this user and only this user may write to it.
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

        /// Passes cookies that the file doesn't have, in place of those that were passed before.
        func put(_ lines: [String]) {
            state.withLock { $0.lines = lines }
        }

        /// Whether there are cookies that couldn't be written, or are about to be.
        var isBehind: Bool { state.withLock { $0.lines != nil } }

        /// Makes a worker write the cookies. A worker that is still writing continues with them.
        func saveSoon(on workers: CurlWorkers) {
            let wasBusy = state.withLock { state in
                defer { state.isBusy = true }
                return state.isBusy
            }
            if wasBusy { return }
            workers.async {
                var isBusy = true
                while isBusy {
                    let isSaved = self.saveOrReport()
                    isBusy = self.state.withLock { state in
                        state.isBusy = isSaved && state.lines != nil
                        return state.isBusy
                    }
                }
            }
        }

        /// Saves the cookies, and returns whether they are saved. The app learns of the first failure only.
        @discardableResult
        func saveOrReport() -> Bool {
            guard let failure = writePassed(isReported: true) else { return true }
            if failure.isFirst { notSaved?(failure.error) }
            return false
        }

        /// Saves the cookies, after any write that is under way.
        func save() throws {
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
                        // Newer ones may have been passed during the write.
                        state.lines = state.lines ?? lines
                        defer { state.wasReported = state.wasReported || isReported }
                        return (error, !state.wasReported)
                    }
                }
            }
        }

        /// Replaces the file as a whole, readable only for its owner. Cookies that end with the session are left out (RFC 6265
        /// §5.3).
        private func write(_ lines: [String]) throws {
            let now = Date()
            let kept = lines.compactMap { CurlDataSource.Cookie(line: $0) }
                .filter { cookie in cookie.expires.map { $0 > now } ?? false }
            let text = "# Netscape HTTP Cookie File\n" + kept.map { $0.line + "\n" }.joined()
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

    /// Decides when the cookies are saved: when they have changed, and at most once a second.
    struct CurlSaveSchedule {
        /// Whether there is something that the file doesn't have.
        private var isChanged = false
        /// The earliest time of the next save.
        private var earliest: UInt64 = 0

        private static let interval: UInt64 = 1_000_000_000

        mutating func noteChange() { isChanged = true }

        /// Returns whether anything has changed, and counts it as saved.
        mutating func takeChange() -> Bool {
            defer { isChanged = false }
            return isChanged
        }

        /// The time of the next save; `CurlClock.never` if nothing has changed.
        var due: UInt64 { isChanged ? earliest : CurlClock.never }

        /// Whether to save now.
        ///
        /// - Parameter isBehind: Whether an earlier save failed.
        mutating func isDue(_ now: UInt64, isBehind: Bool) -> Bool {
            guard isChanged || isBehind, now >= earliest else { return false }
            earliest = now + Self.interval
            return true
        }
    }
#endif
