#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// libcurl's cookie engine (RFC 6265), used only on the loop's thread.
    package final class CurlCookieJar {
        private let share: CurlShare
        private let easy: UnsafeMutableRawPointer
        private let file: CurlCookieFile?
        private var schedule = CurlSaveSchedule()

        private var ages = CurlCookieAges()
        /// The number of cookies that were received, set or loaded since `removeSurplus()` last ran.
        private var added = 0

        /// The surplus is removed after at least this many cookies, because checking each cookie takes quadratic time.
        private static let addedLimit = 50

        init?(_ configuration: EngineConfiguration) {
            guard configuration.handlesCookies, let share = CurlShare(withCookies: true),
                let easy = swallow_curl_easy_init()
            else { return nil }
            file = configuration.cookieFile.map {
                CurlCookieFile($0, notSaved: configuration.cookiesNotSaved)
            }
            self.share = share
            self.easy = easy
            attach(easy)
            load()
        }

        deinit {
            swallow_curl_easy_cleanup(easy)
        }

        func attach(_ easy: UnsafeMutableRawPointer) {
            // Keeps libcurl's list of cookie files short. This call also turns cookies off, so it has to come first.
            removeFiles(from: easy)
            share.attach(easy)
            // The share alone doesn't start the cookie engine. Setting a cookie file does, even if its name is empty.
            _ = "".withCString { swallow_curl_set_pointer(easy, CurlOption.cookieFile, $0) }
        }

        func removeFiles(from easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_pointer(easy, CurlOption.cookieFile, nil)
        }

        func noteReceived(_ count: Int) {
            schedule.noteChange()
            added += count
            if added >= Self.addedLimit { removeSurplus() }
        }

        package func cookies() -> [EngineCookie] {
            if added > 0 { removeSurplus() }
            return listed
        }

        /// All cookies except expired and removed ones, which libcurl may still list.
        private var listed: [EngineCookie] {
            let now = Date()
            return lines.compactMap { EngineCookie(line: $0) }
                .filter { cookie in cookie.expires.map { $0 > now } ?? true }
        }

        package func set(_ cookie: EngineCookie) {
            add(cookie.line)
            noteReceived(1)
        }

        package func remove(where isUnwanted: (EngineCookie) -> Bool) {
            for cookie in cookies() where isUnwanted(cookie) { remove(cookie) }
            schedule.noteChange()
        }

        private func remove(_ cookie: EngineCookie) {
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

        private func load() {
            for line in file?.read() ?? [] {
                if let cookie = EngineCookie(line: line), cookie.problem == nil {
                    add(cookie.line)
                    added += 1
                }
            }
        }

        var saveTime: UInt64 { file == nil ? CurlClock.never : schedule.saveTime }

        func saveIfNeeded(_ now: UInt64) {
            guard let file, schedule.shouldSave(now, isBehind: file.isBehind) else { return }
            passToFile()?.saveSoon()
        }

        func saveAtEnd() {
            passToFile()?.saveOrReport()
        }

        package func passToFile() -> CurlCookieFile? {
            if schedule.takeChange() { file?.put(lines) }
            return file
        }
    }

    /// The creation order of cookies, which libcurl doesn't report. Changed cookies keep their age (RFC 6265 §5.3).
    struct CurlCookieAges {
        private struct Key: Hashable {
            let domain: String
            let path: String
            let name: String

            init(_ cookie: EngineCookie) {
                (domain, path, name) = (cookie.domain, cookie.path, cookie.name)
            }
        }

        private var ages: [Key: Int] = [:]
        private var next = 0

        static let hostLimit = 180
        static let limit = 3000

        /// Returns the cookies above the limits. Pass the new cookies of each host in arrival order.
        mutating func surplus(of cookies: [EngineCookie]) -> [EngineCookie] {
            let previous = ages
            var aged = cookies.map { cookie in
                if let age = previous[Key(cookie)] { return (age, cookie) }
                next += 1
                return (next, cookie)
            }
            aged.sort { $0.0 < $1.0 }
            var counts: [String: Int] = [:]
            for (_, cookie) in aged { counts[cookie.domain, default: 0] += 1 }
            var surplus: [EngineCookie] = []
            var current: [(Int, EngineCookie)] = []
            for (age, cookie) in aged {
                if let count = counts[cookie.domain], count > Self.hostLimit {
                    counts[cookie.domain] = count - 1
                    surplus.append(cookie)
                } else {
                    current.append((age, cookie))
                }
            }
            let excess = max(0, current.count - Self.limit)
            surplus += current.prefix(excess).map(\.1)
            ages = Dictionary(current.dropFirst(excess).map { (Key($1), $0) }) { first, _ in first }
            return surplus
        }
    }
#endif
