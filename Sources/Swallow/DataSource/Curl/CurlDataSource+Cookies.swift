#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation

    extension CurlDataSource {
        /// Where a ``CurlDataSource`` keeps cookies. A request whose `httpShouldHandleCookies` is false neither sends nor
        /// keeps any, and one with a `Cookie` field of its own sends just that.
        ///
        /// Those with the longest path are sent first; of paths of one length libcurl begins with the latest cookie, where
        /// RFC 6265 §5.4 begins with the earliest.
        ///
        /// As in browsers, there are 180 cookies of a host at most, and 3 000 in all: the oldest go, at the latest when 50 more
        /// have come.
        public enum Cookies: Sendable {
            /// In memory, for as long as the data source lives.
            case inMemory
            /// In memory, and in a file that only its owner can read. While cookies change, the data source writes the
            /// file at most once a second, so a slow disk keeps no request waiting. It also writes the file when it shuts
            /// down, and at the process's exit. Cookies without an expiry date aren't stored in the file (RFC 6265 §5.3).
            /// The file has the form of the `cookies.txt` of browsers and curl. A file that belongs to another user, or
            /// that others may write to, isn't read. Two data sources should not share a file, because each of them
            /// replaces it. If the file can't be written, ``Configuration/cookiesNotSaved`` receives the error.
            case file(URL)
            /// Nowhere: cookies are neither sent nor kept.
            case none
        }

        /// The cookies that are kept now. Those of a response are there once its completion is called.
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

        /// Keeps a cookie, in place of one with the same name, domain and path. Requests that are resumed later send it.
        ///
        /// - Throws: `.invalidRequest` for one that couldn't be sent as it is.
        public func setCookie(_ cookie: Cookie) throws(ServiceError) {
            let cookie = cookie.engineCookie
            if let problem = cookie.problem { throw ServiceError(.invalidRequest, detail: problem) }
            loop.changeCookies { $0?.set(cookie) }
        }

        /// Removes the cookies for which a closure returns true; by default all. The closure runs on a thread of the
        /// data source, which waits for it.
        public func removeCookies(where isUnwanted: @escaping @Sendable (Cookie) -> Bool = { _ in true }) {
            loop.changeCookies { $0?.remove { isUnwanted(Cookie($0)) } }
        }

        /// Writes the cookies to their file now, where there is one and they have changed.
        ///
        /// - Throws: a `CocoaError` where the file can't be written.
        public func saveCookies() async throws {
            try await withCheckedThrowingContinuation { continuation in
                let isUnderWay = loop.visitCookies { [run = loop.run] jar in
                    let file = jar?.passToFile()
                    run { continuation.resume(with: Result { if let file { try file.save() } }) }
                }
                if !isUnderWay { continuation.resume() }
            }
        }
    }
#endif
