import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Digest authentication")
struct DigestTests {
    private static let fields =
        #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=%, "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    @Test(
        "MD5 digests equal the examples of RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func digest(text: String, expected: String) {
        #expect(MD5.hexDigest(of: text) == expected)
    }

    @Test("The request target includes an empty query")
    func target() {
        let targets = ["http://h", "http://h/a", "http://h/a?", "http://h/a?b=%2F"]
            .map { URL(string: $0)?.requestTarget }
        #expect(targets == ["/", "/a", "/a?", "/a?b=%2F"])
    }

    @Test(
        "Answers equal the examples of RFC 7616 §3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            // The next ones were computed with Python's hashlib.
            ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
            ("SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
        ])
    func example(algorithm: String, response: String) throws {
        let field = Self.fields.replacing("%", with: algorithm)
        let challenge = try #require(AuthenticationChallenge.challenges(in: field).first)
        let answer = try #require(DigestChallenge(challenge)).answer(
            user: "Mufasa", password: "Circle of Life", method: "GET", target: "/dir/index.html",
            in: .init(
                nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", count: 1,
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
        let parameters = try #require(AuthenticationChallenge.challenges(in: answer).first).parameters
        #expect(parameters["response"] == response)
        #expect(parameters["algorithm"] == algorithm)
        #expect(parameters["nc"] == "00000001")
        #expect(parameters["qop"] == "auth")
        #expect(parameters["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
        #expect(answer.hasPrefix(#"Digest username="Mufasa", realm="http-auth@example.org", nonce=""#))
    }

    @Test("A challenge without qop is answered as RFC 2069 specifies")
    func old() throws {
        let field = #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        let challenge = try #require(AuthenticationChallenge.challenges(in: field).first)
        let answer = try #require(DigestChallenge(challenge)).answer(
            user: "Mufasa", password: "CircleOfLife", method: "GET", target: "/dir/index.html",
            in: .init(nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093", count: 1, clientNonce: "x"))
        #expect(answer.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
        #expect(!answer.contains("nc=") && !answer.contains("algorithm"))
    }

    struct Parsing: Sendable {
        let field: String
        let challenges: [String]
    }

    @Test(
        "Challenges are parsed as RFC 9110 §11.6.1 specifies",
        arguments: [
            Parsing(field: "Basic", challenges: ["basic []"]),
            Parsing(field: "", challenges: []),
            Parsing(field: ", ,", challenges: []),
            Parsing(field: "Basic realm=x, , Newauth", challenges: [#"basic ["realm=x"]"#, "newauth []"]),
            Parsing(
                field: #"Newauth realm="apps", type=1,  title="Login to \"apps\"", Basic realm="simple""#,
                challenges: [
                    #"newauth ["realm=apps", "title=Login to \"apps\"", "type=1"]"#,
                    #"basic ["realm=simple"]"#,
                ]),
            Parsing(
                field: #"Digest Realm = "a,b=c", realm=d"#, challenges: [#"digest ["realm=a,b=c"]"#]),
            Parsing(field: "Negotiate YII==, Basic", challenges: ["negotiate []", "basic []"]),
            Parsing(field: #"Basic realm="unclosed, Digest realm=x"#, challenges: ["basic []"]),
            Parsing(field: "= , Basic", challenges: []),
            Parsing(field: #"Basic realm="x\"#, challenges: ["basic []"]),
        ])
    func challenges(parsing: Parsing) {
        let challenges = AuthenticationChallenge.challenges(in: parsing.field).map { challenge in
            "\(challenge.scheme) \(challenge.parameters.map { "\($0.key)=\($0.value)" }.sorted())"
        }
        #expect(challenges == parsing.challenges)
    }

    @Test(
        "SHA-512/256 digests equal the examples of FIPS 180-4",
        arguments: [
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
        ])
    func sha512(text: String, expected: String) {
        #expect(SHA512.hexDigest256(of: text) == expected)
    }

    @Test("The strongest supported algorithm is chosen, and unsupported challenges are ignored")
    func choice() throws {
        func chosen(_ field: String) -> DigestChallenge? {
            let url = URL(string: "http://h")
            return url.flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: 401, httpVersion: nil, headerFields: ["WWW-Authenticate": field])
            }.flatMap { DigestChallenge($0) }
        }
        let md5 = #"Digest realm="r", nonce="1", algorithm=MD5"#
        #expect(chosen("\(md5), Digest realm=r, nonce=2, algorithm=SHA-256")?.nonce == "2")
        let sha512 = #"Digest realm=r, nonce=3, algorithm=SHA-512-256"#
        #expect(chosen("\(md5), Digest realm=r, nonce=2, algorithm=SHA-256, \(sha512)")?.nonce == "3")
        #expect(chosen("Basic realm=r, \(md5)")?.nonce == "1")
        #expect(chosen("Digest realm=r, nonce=1, qop=\"auth-int\"") == nil)
        #expect(chosen("Digest realm=r, nonce=1, algorithm=MD5-sess") == nil)
        #expect(chosen("Digest realm=r") == nil)
        #expect(chosen("Basic realm=r") == nil)
    }

    @Test("Quotation marks are escaped, even if an accent follows")
    func quotation() throws {
        let challenge = AuthenticationChallenge.challenges(in: "Digest realm=r, nonce=n")[0]
        let answer = try #require(DigestChallenge(challenge)).answer(
            user: "a\"\u{301}b\\", password: "p", method: "GET", target: "/",
            in: .init(nonce: "n", count: 1, clientNonce: "c"))
        #expect(answer.unicodeScalars.starts(with: #"Digest username="a\""#.unicodeScalars))
        #expect(answer.contains(#"b\\", realm="#))
    }
}
