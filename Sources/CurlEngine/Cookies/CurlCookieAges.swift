#if os(Linux) && canImport(Glibc)
    /// Remembers in which order cookies were made, since libcurl's list doesn't say, and picks the oldest of too many. A cookie
    /// that gets another value keeps its age (RFC 6265 §5.3).
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

        /// The limits of browsers.
        static let hostLimit = 180
        static let limit = 3000

        /// The cookies that have to go, the oldest first; the others are remembered.
        ///
        /// - Parameter cookies: all cookies of the jar. New ones of one host are in the order in which they came.
        mutating func surplus(of cookies: [EngineCookie]) -> [EngineCookie] {
            let known = ages
            var aged = cookies.map { cookie in
                if let age = known[Key(cookie)] { return (age, cookie) }
                next += 1
                return (next, cookie)
            }
            aged.sort { $0.0 < $1.0 }
            var counts: [String: Int] = [:]
            for (_, cookie) in aged { counts[cookie.domain, default: 0] += 1 }
            var surplus: [EngineCookie] = []
            var kept: [(Int, EngineCookie)] = []
            for (age, cookie) in aged {
                if let count = counts[cookie.domain], count > Self.hostLimit {
                    counts[cookie.domain] = count - 1
                    surplus.append(cookie)
                } else {
                    kept.append((age, cookie))
                }
            }
            let excess = max(0, kept.count - Self.limit)
            surplus += kept.prefix(excess).map(\.1)
            ages = Dictionary(kept.dropFirst(excess).map { (Key($1), $0) }) { first, _ in first }
            return surplus
        }
    }
#endif
