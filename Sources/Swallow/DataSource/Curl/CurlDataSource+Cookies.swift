#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation

    extension CurlDataSource {
        /// The place where a ``CurlDataSource`` stores cookies.
        ///
        /// A request whose `httpShouldHandleCookies` is `false` neither sends nor stores cookies. A request with its
        /// own `Cookie` field sends only that field.
        ///
        /// Cookies with the longest path are sent first. Among paths of equal length, libcurl starts with the latest
        /// cookie, but RFC 6265 §5.4 starts with the earliest.
        ///
        /// As in browsers, there are at most 180 cookies for each host, and 3,000 in total. The oldest cookies are
        /// removed, at the latest when 50 more have arrived.
        public enum Cookies: Sendable {
            /// In memory, until the data source is released.
            case inMemory
            /// In memory, and in a file that only its owner can read. While cookies change, the data source writes the
            /// file at most once a second, so a slow disk keeps no request waiting. It also writes the file when it
            /// shuts down, and at the process's exit. Cookies without an expiry date aren't stored in the file (RFC
            /// 6265 §5.3). The file has the form of the `cookies.txt` of browsers and curl. A file that belongs to
            /// another user, or that others may write to, isn't read. Two data sources should not share a file, because
            /// each of them replaces it. If the file can't be written, ``Configuration/cookiesNotSaved`` receives the
            /// error.
            case file(URL)
            /// No storage. Cookies are neither sent nor stored.
            case none
        }

        /// The cookies that are stored now. They include the cookies of a response after its completion was called.
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

        /// Stores a cookie. It replaces a cookie with the same name, domain and path. Requests that are resumed later
        /// send it.
        ///
        /// - Throws: `.invalidRequest` if the cookie can't be sent unchanged.
        public func setCookie(_ cookie: Cookie) throws(ServiceError) {
            let cookie = cookie.engineCookie
            if let problem = cookie.problem { throw ServiceError(.invalidRequest, detail: problem) }
            loop.changeCookies { $0?.set(cookie) }
        }

        /// Removes the cookies for which a closure returns `true`. Removes all cookies by default. The closure runs on
        /// a thread of the data source, which waits for it.
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
#endif
