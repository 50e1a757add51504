#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    /// libcurl's cookie engine (RFC 6265), with its public-suffix list where it was built with one. Lives on the loop's
    /// thread.
    final class CurlCookieJar {
        private let share: CurlShare
        private let easy: UnsafeMutableRawPointer
        private let file: URL?
        /// Whether there is something that the file doesn't have.
        private var isChanged = false
        /// Gets the error when the cookies can't be saved: once, until they can be saved again.
        private let notSaved: (@Sendable (any Error) -> Void)?
        private var wasNotSaved = false

        private var ages = CurlCookieAges()
        /// How many may have come since the surplus was last removed.
        private var added = 0

        private static let fileLimit = 4 * 1024 * 1024
        /// How many cookies may be added before the surplus is removed: checking all of them for each would be
        /// quadratic.
        private static let addedLimit = 50

        /// - Returns: nil where the configuration wants no cookies, or there is no memory.
        init?(_ configuration: CurlDataSource.Configuration) {
            notSaved = configuration.cookiesNotSaved
            switch configuration.cookies {
            case .none: return nil
            case .inMemory: file = nil
            case .file(let url): file = url
            }
            guard let share = CurlShare(withCookies: true), let easy = swallow_curl_easy_init() else {
                return nil
            }
            self.share = share
            self.easy = easy
            attach(easy)
            load()
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
        }

        /// Makes a handle send and keep cookies.
        func attach(_ easy: UnsafeMutableRawPointer) {
            // Without this, the list would grow. It must come before the share, because it also ends the use of the share's
            // cookies.
            removeFiles(from: easy)
            share.attach(easy)
            // The share alone doesn't start the engine: that takes a file, which needn't have a name.
            _ = "".withCString { swallow_curl_set_pointer(easy, CurlOption.cookieFile, $0) }
        }

        /// Makes a handle neither send nor keep cookies.
        func detach(_ easy: UnsafeMutableRawPointer, to other: CurlShare?) {
            removeFiles(from: easy)
            if let other {
                other.attach(easy)
            } else {
                _ = swallow_curl_set_pointer(easy, CurlOption.share, nil)
            }
        }

        /// Frees a handle's list of cookie files.
        func removeFiles(from easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_pointer(easy, CurlOption.cookieFile, nil)
        }

        /// Counts the `Set-Cookie` fields of a response.
        func noteReceived(_ count: Int) {
            isChanged = file != nil
            added += count
            if added >= Self.addedLimit { removeSurplus() }
        }

        func cookies() -> [CurlDataSource.Cookie] {
            if added > 0 { removeSurplus() }
            return listed
        }

        /// The cookies, but for those that have expired or were removed, which libcurl lists until its next transfer.
        private var listed: [CurlDataSource.Cookie] {
            let now = Date()
            return lines.compactMap { CurlDataSource.Cookie(line: $0) }
                .filter { cookie in cookie.expires.map { $0 > now } ?? true }
        }

        func set(_ cookie: CurlDataSource.Cookie) {
            add(cookie.line)
            noteReceived(1)
        }

        func remove(where isUnwanted: (CurlDataSource.Cookie) -> Bool) {
            for cookie in cookies() where isUnwanted(cookie) { remove(cookie) }
            isChanged = file != nil
        }

        private func remove(_ cookie: CurlDataSource.Cookie) {
            var cookie = cookie
            cookie.expires = Date(timeIntervalSince1970: 1)
            add(cookie.line)
        }

        private func removeSurplus() {
            added = 0
            for cookie in ages.surplus(of: listed) { remove(cookie) }
        }

        private func add(_ line: String) {
            _ = line.withCString { swallow_curl_set_pointer(easy, CurlOption.cookieList, $0) }
        }

        private var lines: [String] {
            let list = swallow_curl_cookies(easy)
            defer { swallow_curl_list_free(list) }
            var lines: [String] = []
            var node = list
            while let current = node {
                lines.append(String(cString: current.pointee.data))
                node = current.pointee.next
            }
            return lines
        }

        // MARK: - The file

        /// Reads the file, if it belongs to this user and only this user may write to it.
        private func load() {
            guard let file else { return }
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0,
                status.st_size <= Self.fileLimit, let data = try? handle.readToEnd()
            else { return }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                if let cookie = CurlDataSource.Cookie(line: String(line)), cookie.problem == nil {
                    add(cookie.line)
                    added += 1
                }
            }
        }

        /// Writes the cookies that outlive a session (RFC 6265 §5.3) into a file that only its owner can read; the file
        /// is replaced as a whole.
        func save() throws {
            guard let file, isChanged else { return }
            let lines = cookies().filter { $0.expires != nil }.map(\.line)
            let text = "# Netscape HTTP Cookie File\n" + lines.map { $0 + "\n" }.joined()
            let new = file.path + ".\(getpid()).\(UInt64.random(in: 0 ... .max)).new"
            let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.fileError() }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            do {
                try handle.write(contentsOf: Data(text.utf8))
                guard rename(new, file.path) == 0 else { throw Self.fileError() }
            } catch {
                unlink(new)
                throw error
            }
            isChanged = false
        }

        /// Saves the cookies; the app learns of the first failure only.
        func saveIfPossible() {
            do {
                try save()
                wasNotSaved = false
            } catch {
                if !wasNotSaved { notSaved?(error) }
                wasNotSaved = true
            }
        }

        private static func fileError() -> CocoaError {
            let code = POSIXErrorCode(rawValue: errno).map { POSIXError($0) }
            return CocoaError(.fileWriteUnknown, userInfo: code.map { [NSUnderlyingErrorKey: $0] } ?? [:])
        }
    }
#endif
