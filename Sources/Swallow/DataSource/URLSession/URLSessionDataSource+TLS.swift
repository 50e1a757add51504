#if canImport(Security)
    import Foundation
    import Security

    extension URLSessionDataSource {
        // Unchecked: an identity is an object of the system's that doesn't change.
        /// The pinned keys of a ``URLSessionDataSource``, and its client certificate, on Apple platforms.
        public struct TLS: @unchecked Sendable {
            /// Public keys, one of which a server must have; with none, the default, any key is accepted that the
            /// system trusts. A server with another key ends the task in `URLError(.serverCertificateUntrusted)`,
            /// before the request is sent.
            ///
            /// A pin is the SHA-256 digest, in Base64, of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), with `sha256/` or
            /// `sha256//` before it or without, so that a certificate may be renewed while its key stays. Name the next key's, too,
            /// before the server changes to it.
            public var pins: [String] = []
            /// The certificate and key for servers that ask for one; nil by default.
            public var clientIdentity: SecIdentity?

            /// Makes the default: the system decides.
            public init() {}
        }
    }

    /// How a challenge of TLS is answered.
    struct TLSAnswer {
        let disposition: URLSession.AuthChallengeDisposition
        let credential: URLCredential?
        /// Whether the server has none of the pinned keys.
        var isUntrusted = false

        /// Nil for a challenge that isn't of TLS.
        init?(_ challenge: URLAuthenticationChallenge, _ tls: URLSessionDataSource.TLS) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                // The system checks the certificate all the same.
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
        /// Whether the key of a server's own certificate is one of these; false where it is missing, or of an unknown
        /// kind.
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
