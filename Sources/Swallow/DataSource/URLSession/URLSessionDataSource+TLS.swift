#if canImport(Security)
    import Foundation
    import Security

    extension URLSessionDataSource {
        // Unchecked: an identity is an immutable object of the system.
        /// The pinned keys and the client certificate of a ``URLSessionDataSource``, on Apple platforms.
        public struct TLS: @unchecked Sendable {
            /// The pinned public keys. If this isn't empty and the server's key isn't one of them, the task fails with
            /// `URLError(.serverCertificateUntrusted)` before the request is sent. The system has to trust the server's
            /// certificate even if its key is pinned. Empty by default.
            ///
            /// A pin is the SHA-256 digest of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), in Base64. The prefix
            /// `sha256/` or `sha256//` is optional. Add the next key's pin before the server changes to that key.
            public var pins: [String] = []
            /// The client's certificate and key, for servers that require them. `nil` by default.
            public var clientIdentity: SecIdentity?

            /// Creates settings without pins and without a client certificate.
            public init() {}
        }
    }

    struct TLSAnswer {
        let disposition: URLSession.AuthChallengeDisposition
        let credential: URLCredential?
        var isUntrusted = false

        init?(_ challenge: URLAuthenticationChallenge, _ tls: URLSessionDataSource.TLS) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                isUntrusted =
                    !tls.pins.isEmpty && space.serverTrust.map { !TLSPins(tls.pins).allow($0) } ?? true
                disposition = isUntrusted ? .cancelAuthenticationChallenge : .performDefaultHandling
                credential = nil
            case NSURLAuthenticationMethodClientCertificate:
                credential = tls.clientIdentity.map {
                    URLCredential(identity: $0, certificates: nil, persistence: .forSession)
                }
                disposition = credential == nil ? .performDefaultHandling : .useCredential
            default: return nil
            }
        }
    }

    extension TLSPins {
        fileprivate func allow(_ trust: SecTrust) -> Bool {
            guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let own = chain.first,
                let key = SecCertificateCopyKey(own),
                let bare = SecKeyCopyExternalRepresentation(key, nil) as Data?,
                let info = SubjectPublicKeyInfo.data(ofKey: bare)
            else { return false }
            return allow(subjectPublicKeyInfo: info)
        }
    }
#endif
