#if os(Linux) && canImport(Glibc)
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

        /// Browsers use the same limits.
        static let hostLimit = 180
        static let limit = 3000

        /// Returns the cookies to remove, the oldest first. New cookies of one host have to be in arrival order.
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
