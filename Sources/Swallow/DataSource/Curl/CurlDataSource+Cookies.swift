#if os(Linux) && canImport(Glibc)
    import Foundation

    extension CurlDataSource {
        /// Where a ``CurlDataSource`` keeps cookies. A request whose `httpShouldHandleCookies` is false neither sends nor
        /// keeps any, and one with a `Cookie` field of its own sends just that.
        public enum Cookies: Sendable {
            /// In memory, for as long as the data source lives.
            case inMemory
            /// In a file, too, that only its owner can read; it is written when the data source has nothing else to do,
            /// and at the process's exit. Cookies without an expiry date aren't kept (RFC 6265 §5.3). The file has the
            /// form that browsers' and curl's `cookies.txt` have; one of another user, or that others may write to, is
            /// not read. Two data sources should not share a file: the last to write wins.
            case file(URL)
            /// Nowhere: cookies are neither sent nor kept.
            case none
        }

        /// A cookie as a ``CurlDataSource`` keeps it (RFC 6265 §5.3).
        public struct Cookie: Sendable, Hashable {
            /// The name, in which case counts.
            public var name: String
            /// The value, as it is sent.
            public var value: String
            /// The host that gets it, in lower case and without a dot in front.
            public var domain: String
            /// Whether hosts within the domain get it, too.
            public var includesSubdomains: Bool
            /// The path under which it is sent.
            public var path: String
            /// Whether it is sent over TLS only (and to this machine).
            public var isSecure: Bool
            /// Whether scripts in a web page must not see it.
            public var isHTTPOnly: Bool
            /// When it ends, to the second; nil where it ends with the data source.
            public var expires: Date?

            /// Makes a cookie, by default for one host, all its paths, and TLS only.
            public init(
                name: String, value: String, domain: String, includesSubdomains: Bool = false,
                path: String = "/", isSecure: Bool = true, isHTTPOnly: Bool = false, expires: Date? = nil
            ) {
                self.name = name
                self.value = value
                self.domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
                self.includesSubdomains = includesSubdomains
                self.path = path
                self.isSecure = isSecure
                self.isHTTPOnly = isHTTPOnly
                self.expires = expires
            }
        }

        /// The cookies that are kept now. Those of a response are there once its completion is called.
        public var cookies: [Cookie] {
            get async {
                await withCheckedContinuation { continuation in
                    let isUnderWay = loop.visitCookies { continuation.resume(returning: $0?.cookies ?? []) }
                    if !isUnderWay { continuation.resume(returning: []) }
                }
            }
        }

        /// Keeps a cookie, in place of one with the same name, domain and path. Requests that are resumed later send it.
        ///
        /// - Throws: `.invalidRequest` for one that couldn't be sent as it is.
        public func setCookie(_ cookie: Cookie) throws(ServiceError) {
            if let problem = cookie.problem { throw ServiceError(.invalidRequest, detail: problem) }
            _ = loop.visitCookies { $0?.set(cookie) }
        }

        /// Removes the cookies that a closure names; all, if there is none. The closure runs on a thread of the data
        /// source's, which waits for it.
        public func removeCookies(where isUnwanted: @escaping @Sendable (Cookie) -> Bool = { _ in true }) {
            _ = loop.visitCookies { $0?.remove(where: isUnwanted) }
        }

        /// Writes the cookies to their file now, where there is one and they have changed.
        ///
        /// - Throws: a `CocoaError` where the file can't be written.
        public func saveCookies() async throws {
            try await withCheckedThrowingContinuation { continuation in
                let isUnderWay = loop.visitCookies { jar in
                    continuation.resume(with: Result { if let jar { try jar.save() } })
                }
                if !isUnderWay { continuation.resume() }
            }
        }
    }

    // MARK: - Netscape's file

    extension CurlDataSource.Cookie {
        /// What keeps it from being sent as it is; nil where nothing does.
        var problem: String? {
            if name.isEmpty || domain.isEmpty { return "a cookie needs a name and a domain" }
            if !path.hasPrefix("/") { return "the path of a cookie begins with a slash" }
            let isLegal = [name, value, domain, path].allSatisfy { text in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
            }
            let isNameLegal = !name.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0x20 }
            return isLegal && isNameLegal ? nil : "the cookie \(name.debugDescription) can't be sent"
        }

        /// A line of a `cookies.txt`.
        var line: String {
            let isEnding = expires.map { max(1, Int64($0.timeIntervalSince1970.clamped())) } ?? 0
            return [
                (isHTTPOnly ? "#HttpOnly_" : "") + (includesSubdomains ? "." : "") + domain,
                includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE", "\(isEnding)", name,
                value,
            ].joined(separator: "\t")
        }

        init?(line: String) {
            let isHTTPOnly = line.hasPrefix("#HttpOnly_")
            let text = isHTTPOnly ? line.dropFirst(10) : line[...]
            let parts = text.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(
                String.init)
            guard !text.hasPrefix("#"), parts.count >= 6, let expires = Int64(parts[4]) else { return nil }
            self.init(
                name: parts[5], value: parts.count > 6 ? parts[6] : "", domain: parts[0],
                includesSubdomains: parts[1] == "TRUE", path: parts[2], isSecure: parts[3] == "TRUE",
                isHTTPOnly: isHTTPOnly,
                expires: expires == 0 ? nil : Date(timeIntervalSince1970: TimeInterval(expires)))
        }
    }

    extension TimeInterval {
        /// Within what dates of cookies can say.
        fileprivate func clamped() -> TimeInterval {
            isNaN ? 1 : Swift.min(Swift.max(self, 1), 253_402_300_799)
        }
    }
#endif
