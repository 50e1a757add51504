// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Types of Security, which Foundation exports again. Core Foundation's types are toll-free bridged to these types.

public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFError = NSError

public final class SecTrust {}
public final class SecCertificate {}
public final class SecKey {}
public final class SecIdentity {}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { absent() }
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { absent() }
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { absent() }

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { absent() }
}

public var NSURLAuthenticationMethodServerTrust: String { absent() }
public var NSURLAuthenticationMethodClientCertificate: String { absent() }

extension URLCredential {
    public convenience init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {
        absent()
    }
}
