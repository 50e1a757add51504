import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A case of aws-c-auth, the public test suite for AWS signatures of version 4. Header fields have the signature.
private struct SignatureCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: String
    let fields: [String]
    let body: String
    let token: String?
    let isS3: Bool
    let target: String
    let canonicalFields: [String]
    let signature: String

    /// - Parameters:
    ///   - request: The method and the target of the request.
    ///   - fields: The request's header fields, except `Host`.
    ///   - isS3: Whether the guide's signer must sign the unchanged path, as it does for S3.
    ///   - target: The path and the query that are signed.
    ///   - canonicalFields: The signed header fields, except those that every case has.
    init(
        _ name: String, _ request: String, fields: [String] = [], body: String = "", token: String? = nil,
        isS3: Bool = false, signs target: String, with canonicalFields: [String] = [], _ signature: String
    ) {
        (testDescription, self.request, self.fields, self.body) = (name, request, fields, body)
        (self.token, self.isS3, self.target) = (token, isS3, target)
        (self.canonicalFields, self.signature) = (canonicalFields, signature)
    }

    /// Returns the canonical request. The guide's signer always sends `x-amz-content-sha256`, but the suite's cases
    /// without a body don't have this field.
    func canonicalRequest(withDigest hasDigest: Bool) -> String {
        let digest = text(SHA256.hash(data: Data(body.utf8)))
        var lines = canonicalFields + ["host:example.amazonaws.com", "x-amz-date:20150830T123600Z"]
        if hasDigest || !body.isEmpty { lines.append("x-amz-content-sha256:\(digest)") }
        if let token { lines.append("x-amz-security-token:\(token)") }
        lines.sort()
        let names = lines.map { $0.prefix { $0 != ":" } }.joined(separator: ";")
        let (path, query) = (target.prefix { $0 != "?" }, target.drop { $0 != "?" }.dropFirst())
        let method = request.prefix { $0 != " " }
        return ([String(method), String(path), String(query)] + lines + ["", names, digest])
            .joined(separator: "\n")
    }

    func signature(of canonicalRequest: String, for service: String) -> String {
        let scope = "20150830/us-east-1/\(service)/aws4_request"
        let digest = text(SHA256.hash(data: Data(canonicalRequest.utf8)))
        var key = Data("AWS4\(Self.secret)".utf8)
        for part in scope.split(separator: "/").map(String.init)
            + ["AWS4-HMAC-SHA256\n20150830T123600Z\n\(scope)\n\(digest)"]
        {
            key = Data(HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: SymmetricKey(data: key)))
        }
        return text(Array(key))
    }

    private func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfp"
        + "SPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQ"
        + "DYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+s"
        + "cqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

    // A URL can't have an unescaped space or "ሴ", and for services other than S3, the signer escapes the escapes again.
    // So the two cases with these characters are signed like requests to S3.
    static let all = [
        SignatureCase(
            "get-header-key-duplicate", "GET /",
            fields: ["My-Header1:value2", "My-Header1:value2", "My-Header1:value1"], signs: "/?",
            with: ["my-header1:value2,value2,value1"],
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        SignatureCase(
            "get-header-value-multiline", "GET /", fields: ["My-Header1:value1\n  value2\n     value3"],
            signs: "/?", with: ["my-header1:value1 value2 value3"],
            "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"),
        SignatureCase(
            "get-header-value-order", "GET /",
            fields: ["My-Header1:value4", "My-Header1:value1", "My-Header1:value3", "My-Header1:value2"],
            signs: "/?", with: ["my-header1:value4,value1,value3,value2"],
            "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        SignatureCase(
            "get-header-value-trim", "GET /", fields: ["My-Header1: value1", #"My-Header2: "a   b   c""#],
            signs: "/?", with: ["my-header1:value1", #"my-header2:"a b c""#],
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        SignatureCase(
            "get-relative-normalized", "GET /example/..", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-relative-relative-normalized", "GET /example1/example2/../..", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-relative-relative-unnormalized", "GET /example1/example2/../..", isS3: true,
            signs: "/example1/example2/../..?",
            "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"),
        SignatureCase(
            "get-relative-unnormalized", "GET /example/..", isS3: true, signs: "/example/..?",
            "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"),
        SignatureCase(
            "get-slash-dot-slash-normalized", "GET /./", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-slash-dot-slash-unnormalized", "GET /./", isS3: true, signs: "/./?",
            "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"),
        SignatureCase(
            "get-slash-normalized", "GET //", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-slash-pointless-dot-normalized", "GET /./example", signs: "/example?",
            "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
        SignatureCase(
            "get-slash-pointless-dot-unnormalized", "GET /./example", isS3: true, signs: "/./example?",
            "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"),
        SignatureCase(
            "get-slash-unnormalized", "GET //", isS3: true, signs: "//?",
            "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e"),
        SignatureCase(
            "get-slashes-normalized", "GET //example//", signs: "/example/?",
            "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        SignatureCase(
            "get-slashes-unnormalized", "GET //example//", isS3: true, signs: "//example//?",
            "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"),
        SignatureCase(
            "get-space-normalized", "GET /example%20space/", isS3: true, signs: "/example%20space/?",
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        SignatureCase(
            "get-space-unnormalized", "GET /example%20space/", isS3: true, signs: "/example%20space/?",
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        SignatureCase(
            "get-unreserved", "GET /-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signs: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz?",
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        SignatureCase(
            "get-utf8", "GET /%E1%88%B4", isS3: true, signs: "/%E1%88%B4?",
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        SignatureCase(
            "get-vanilla", "GET /", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-vanilla-empty-query-key", "GET /?Param1=value1", signs: "/?Param1=value1",
            "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        SignatureCase(
            "get-vanilla-query", "GET /", signs: "/?",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        SignatureCase(
            "get-vanilla-query-order-encoded", "GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
            signs: "/?%E1%88%B4=Value1&Param=Value2&Param-3=Value3",
            "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"),
        SignatureCase(
            "get-vanilla-query-order-key-case", "GET /?Param2=value2&Param1=value1",
            signs: "/?Param1=value1&Param2=value2",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        SignatureCase(
            "get-vanilla-query-unreserved",
            "GET /?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signs:
                "/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        SignatureCase(
            "get-vanilla-utf8-query", "GET /?%E1%88%B4=bar", signs: "/?%E1%88%B4=bar",
            "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        SignatureCase(
            "get-vanilla-with-session-token", "GET /",
            token: "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267", signs: "/?",
            "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
        SignatureCase(
            "post-header-key-case", "POST /", signs: "/?",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        SignatureCase(
            "post-header-key-sort", "POST /", fields: ["My-Header1:value1"], signs: "/?",
            with: ["my-header1:value1"], "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        SignatureCase(
            "post-header-value-case", "POST /", fields: ["My-Header1:VALUE1"], signs: "/?",
            with: ["my-header1:VALUE1"], "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        SignatureCase(
            "post-sts-header-after", "POST /", signs: "/?",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        SignatureCase(
            "post-sts-header-before", "POST /", token: Self.token, signs: "/?",
            "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        SignatureCase(
            "post-vanilla", "POST /", signs: "/?",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        SignatureCase(
            "post-vanilla-empty-query-value", "POST /?Param1=value1", signs: "/?Param1=value1",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        SignatureCase(
            "post-vanilla-query", "POST /?Param1=value1", signs: "/?Param1=value1",
            "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        SignatureCase(
            "post-x-www-form-urlencoded", "POST /",
            fields: ["Content-Type:application/x-www-form-urlencoded", "Content-Length:13"],
            body: "Param1=value1", signs: "/?",
            with: ["content-length:13", "content-type:application/x-www-form-urlencoded"],
            "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"),
        SignatureCase(
            "post-x-www-form-urlencoded-parameters", "POST /",
            fields: ["Content-Type:application/x-www-form-urlencoded; charset=utf-8", "Content-Length:13"],
            body: "Param1=value1", signs: "/?",
            with: ["content-length:13", "content-type:application/x-www-form-urlencoded; charset=utf-8"],
            "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"),
    ]
}

@Suite("The guide's signature of AWS and the public suite")
struct SignatureSuite {
    @Test("agree on every case", arguments: SignatureCase.all)
    private func agree(_ example: SignatureCase) throws {
        // Checks that the case is copied correctly.
        let published = example.canonicalRequest(withDigest: false)
        #expect(example.signature(of: published, for: "service") == example.signature)

        let parts = example.request.split(separator: " ")
        let url = try #require(URL(string: "https://example.amazonaws.com\(parts[1])"))
        var request = URLRequest(url: url)
        request.httpMethod = String(parts[0])
        for field in example.fields {
            let pair = field.split(separator: ":", maxSplits: 1)
            // A folded line is sent with spaces in place of its line break (RFC 9112 §5.2).
            request.addValue(String(pair[1].replacing("\n", with: " ")), forHTTPHeaderField: String(pair[0]))
        }
        if !example.body.isEmpty { request.httpBody = Data(example.body.utf8) }
        let service = example.isS3 ? "s3" : "service"
        let signer = AWSSigner(
            accessKey: "AKIDEXAMPLE", secret: SignatureCase.secret, region: "us-east-1", service: service,
            sessionToken: example.token, now: { Date(timeIntervalSince1970: 1_440_938_160) })

        signer.authorize(&request)

        let expected = example.signature(of: example.canonicalRequest(withDigest: true), for: service)
        let field = request.value(forHTTPHeaderField: "Authorization") ?? ""
        #expect(field.hasSuffix("Signature=\(expected)"), "\(field)")
    }

    @Test("are of 38 cases")
    func count() {
        #expect(SignatureCase.all.count == 38)
    }
}
