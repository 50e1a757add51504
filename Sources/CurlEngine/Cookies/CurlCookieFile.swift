#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    /// The file that stores the cookies of a data source. The loop's thread passes the cookies, and a worker writes
    /// them, because a disk may be slow.
    package final class CurlCookieFile: Sendable {
        private struct State: Sendable {
            /// The lines of all cookies, if the file doesn't have the latest ones yet.
            var lines: [String]?
            /// Whether a worker is writing the file, or was called to do so.
            var isBusy = false
            /// Whether the app knows that the cookies can't be saved.
            var wasReported = false
        }

        private let url: URL
        /// Receives the error if the cookies can't be saved. After an error, it receives the next one only if the
        /// cookies were saved between the two.
        private let notSaved: (@Sendable (any Error) -> Void)?
        private let state = Lock(State())
        /// Held during a write, so that an older write can't replace the file of a newer one. Only workers wait for
        /// this lock, except that the loop's thread also waits for it when the loop ends.
        // This isn't a `Lock(())`, because a value of no size has the address of the lock's object. The thread
        // sanitizer then takes an access to the value for a write to the object's type, which other threads read before
        // they have the lock.
        private let writing = Lock(false)

        private static let sizeLimit = 4 * 1024 * 1024

        init(_ url: URL, notSaved: (@Sendable (any Error) -> Void)?) {
            self.url = url
            self.notSaved = notSaved
        }

        /// Returns the lines of the file. Returns no lines if the file belongs to another user, or if other users may
        /// write to it.
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

        /// Passes the lines of all cookies, which replace lines that were passed before and not written yet.
        func put(_ lines: [String]) {
            state.withLock { $0.lines = lines }
        }

        /// Whether the latest cookies aren't in the file yet, for example because a write failed.
        var isBehind: Bool { state.withLock { $0.lines != nil } }

        /// Writes the cookies on another thread. If it is still writing earlier cookies, it writes these as well.
        func saveSoon() {
            let wasBusy = state.withLock { state in
                defer { state.isBusy = true }
                return state.isBusy
            }
            if wasBusy { return }
            DispatchQueue.global(qos: .utility).async {
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

        /// Writes the cookies, and reports a failure to the app unless it knows already. Returns whether the cookies
        /// are saved.
        @discardableResult
        func saveOrReport() -> Bool {
            guard let failure = writePassed(isReported: true) else { return true }
            if failure.isFirst { notSaved?(failure.error) }
            return false
        }

        /// Writes the cookies after any current write has ended.
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

        /// Replaces the complete file, which only the current user can read. Leaves out expired cookies and cookies
        /// without an expiry date (RFC 6265 §5.3).
        private func write(_ lines: [String]) throws {
            let now = Date()
            let kept = lines.compactMap { EngineCookie(line: $0) }
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

    /// Decides when the cookies are saved. They are saved after a change, but at most once a second.
    struct CurlSaveSchedule {
        /// Whether the cookies have changed since they were last passed to the file.
        private var isChanged = false
        /// The earliest time of the next save.
        private var earliest: UInt64 = 0

        private static let interval: UInt64 = 1_000_000_000

        mutating func noteChange() { isChanged = true }

        /// Returns whether the cookies have changed since the last call.
        mutating func takeChange() -> Bool {
            defer { isChanged = false }
            return isChanged
        }

        /// The time of the next save, or `CurlClock.never` if nothing has changed.
        ///
        /// The loop retries a failed save when it has something else to do, so a failure doesn't wake an idle loop.
        var due: UInt64 { isChanged ? earliest : CurlClock.never }

        /// Returns whether to save now. If so, the next save has to wait for a second.
        ///
        /// - Parameter isBehind: Whether the latest cookies aren't in the file yet, although they were passed to it.
        mutating func isDue(_ now: UInt64, isBehind: Bool) -> Bool {
            guard isChanged || isBehind, now >= earliest else { return false }
            earliest = now + Self.interval
            return true
        }
    }
#endif
