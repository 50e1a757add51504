#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation

    extension CurlDataSource {
        /// The place where a ``CurlDataSource`` stores cookies.
        ///
        /// If `httpShouldHandleCookies` is `false`, a request neither sends stored cookies nor stores any. A request
        /// with its own `Cookie` field sends only that field.
        ///
        /// Cookies with longer paths are sent first. For equally long paths, the order may differ from RFC 6265 §5.4.
        ///
        /// The limits are 180 cookies for each domain, and 3,000 in total. If there are more, the oldest cookies are
        /// removed, usually after at most 50 further cookies.
        public enum Cookies: Sendable {
            /// Cookies are stored only in memory.
            case inMemory
            /// Cookies are stored in memory, and in a file in the format of curl's `cookies.txt` that only its owner
            /// can read. The data source writes changes at most once a second, when it shuts down, and when the process
            /// exits normally. Cookies without an expiry date aren't stored in the file (RFC 6265 §5.3). The file isn't
            /// read if it belongs to another user, or if other users can write to it. Two data sources must not share a
            /// file. If the file can't be written, ``Configuration/cookiesNotSaved`` receives the error.
            case file(URL)
            /// Cookies aren't stored, and only a request's own `Cookie` field is sent.
            case none
        }

        /// The cookies that are stored now. The cookies of a response are stored before its completion is called.
        public var cookies: [Cookie] {
            get async {
                await withCheckedContinuation { continuation in
                    let isUnderWay = loop.visitCookies {
                        continuation.resume(returning: $0?.cookies().map(Cookie.init) ?? [])
                    }
                    if !isUnderWay { continuation.resume(returning: []) }
                }
            }
        }

        /// Stores a cookie. It replaces a cookie with the same name, domain, path and ``Cookie/includesSubdomains``.
        ///
        /// - Throws: A ``ServiceError`` of reason `.invalidRequest` if the cookie can't be sent unchanged, if its name
        ///   and value have more than 4,096 bytes, or if it doesn't meet the requirements of a prefix such as
        ///   `__Secure-` (RFC 6265bis §4.1.3).
        public func setCookie(_ cookie: Cookie) throws(ServiceError) {
            let cookie = cookie.engineCookie
            if let problem = cookie.problem { throw ServiceError(.invalidRequest, detail: problem) }
            loop.changeCookies { $0?.set(cookie) }
        }

        /// Removes the cookies for which a closure returns `true`, by default all. The closure runs on a thread of the
        /// data source, and blocks it.
        public func removeCookies(where isUnwanted: @escaping @Sendable (Cookie) -> Bool = { _ in true }) {
            loop.changeCookies { $0?.remove { isUnwanted(Cookie($0)) } }
        }

        /// Writes the cookies to their file now, if there is a file and the cookies have changed.
        ///
        /// - Throws: A `CocoaError` if the file can't be written.
        public func saveCookies() async throws {
            try await withCheckedThrowingContinuation { continuation in
                let isUnderWay = loop.visitCookies { jar in
                    let file = jar?.passToFile()
                    WorkerPool.shared.async {
                        continuation.resume(with: Result { if let file { try file.save() } })
                    }
                }
                if !isUnderWay { continuation.resume() }
            }
        }
    }

    extension CurlDataSource {
        /// A cookie that a ``CurlDataSource`` stores (RFC 6265 §5.3).
        public struct Cookie: Sendable, Hashable {
            /// The name. Its case matters.
            public var name: String
            /// The value, which is sent unchanged.
            public var value: String
            /// The host that receives the cookie, without a leading dot.
            public var domain: String
            /// Whether hosts within the domain also receive the cookie.
            public var includesSubdomains: Bool
            /// The path. The cookie is sent for this path and all paths below it.
            public var path: String
            /// Whether the cookie is only sent over TLS, or to the local machine.
            public var isSecure: Bool
            /// Whether scripts in a web page can't read the cookie. Swallow only stores this value.
            public var isHTTPOnly: Bool
            /// The expiry date, to the second. If it is `nil`, the cookie isn't stored in a file.
            public var expires: Date?

            /// Creates a cookie. By default, it is sent to one host, for all its paths. See ``isSecure``.
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
    }

    extension CurlDataSource.Cookie {
        init(_ cookie: EngineCookie) {
            self.init(
                name: cookie.name, value: cookie.value, domain: cookie.domain,
                includesSubdomains: cookie.includesSubdomains, path: cookie.path, isSecure: cookie.isSecure,
                isHTTPOnly: cookie.isHTTPOnly, expires: cookie.expires)
        }

        var engineCookie: EngineCookie {
            EngineCookie(
                name: name, value: value, domain: domain, includesSubdomains: includesSubdomains, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expires: expires)
        }
    }
#endif
