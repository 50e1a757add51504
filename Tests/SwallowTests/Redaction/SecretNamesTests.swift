import Foundation
import Testing

@testable import Swallow

@Suite("Secret names")
struct SecretNamesTests {
    static let names = [
        "token", "secret", "password", "pwd", "signature", "credential", "credentials", "X-Goog-Api-Key",
        "api-key",
        "Ocp-Apim-Subscription-Key", "PRIVATE-TOKEN", "X-Access-Token", "X-Vault-Token", "X-Session-Token",
        "X-Shopify-Access-Token", "X-Auth-Key", "client-secret", "private_key", "XAuthKey", "apiKey",
        "APIKey", "APIKEY",
        "apikey", "accesstoken", "authtoken", "X-Authtoken", "user.password", "user[password]",
        "new password",
        "password2", "PassWord", "X-Amz-Credential", "X-Hub-Signature-256", "PHPSESSID", "session_id",
        "sessionId",
        "oauth_signature", "database.auth.key", "AccountKey", "device_code", "cOOkie",
    ]

    @Test("A name with a secret word is secret everywhere", arguments: names)
    func anywhere(name: String) {
        #expect(LogRedaction.standard.isSecret(name))
        #expect(LogRedaction.standard.isSecret(name, isMember: true))
    }

    @Test(
        "A name of one general word is secret in headers, queries, forms and cookies, but not in JSON",
        arguments: ["key", "Key", "session", "auth", "sid", "SID", "key1"])
    func alone(name: String) throws {
        #expect(LogRedaction.standard.isSecret(name) && !LogRedaction.standard.isSecret(name, isMember: true))
        let request = try LogEvent.Request("https://h/?\(name)=s3cret", headers: [name: "s3cret"])
        #expect(!"\(request)".contains("s3cret"))
        let form = LogRedaction.standard.text(
            ofBody: Data("\(name)=s3cret".utf8), contentType: "application/x-www-form-urlencoded", limit: 99)
        #expect(form == "\(name)=<redacted>")
    }

    @Test(
        "A name of other words is readable",
        arguments: [
            "page_token", "nextPageToken", "pageToken", "next-token", "idempotency-key", "Idempotency-Key",
            "sort_key",
            "sortKey", "author", "authority", "authenticated", "keyboard", "keyword", "monkey", "tokens",
            "mytoken",
            "max_tokens", "primary_key", "public_key", "sidebar", "sessions", "token_type", "token_endpoint",
            "Access-Control-Allow-Credentials", "X-Amz-SignedHeaders", "secretary", "passwordless", "", "-",
            "=", "id",
        ])
    func readable(name: String) {
        #expect(!LogRedaction.standard.isSecret(name))
        #expect(!LogRedaction.standard.isSecret(name, isMember: true))
    }

    @Test("An added name is compared word by word, even in nested names")
    func added() {
        let redaction = LogRedaction(names: ["X-Device", "cardNumber", "pin"])
        for name in [
            "x-device", "xDevice", "X_DEVICE", "card_number", "CardNumber", "CARDNUMBER", "cardnumber", "PIN",
            "user[pin]", "user.pin",
        ] {
            #expect(redaction.isSecret(name), "\(name)")
        }
        for name in ["device", "card", "number", "pinned", "card_pin", "token", ""] {
            #expect(!redaction.isSecret(name), "\(name)")
        }
    }
}
