import Foundation
import Testing

@testable import Swallow

@Suite("Pinned public keys")
struct PinTests {
    @Test(
        "The digest of a bare key with its header is the pin that openssl computes",
        arguments: PublicKey.all)
    func pin(key: PublicKey) throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: key.data))
        #expect(info.suffix(key.data.count) == key.data)
        for pins in [
            [key.pin], ["sha256/" + key.pin], ["sha256//" + key.pin], ["AA==", "\(key.pin)"],
        ] {
            #expect(TLSPins(pins).allow(subjectPublicKeyInfo: info))
        }
    }

    @Test("Another key doesn't match a pin, nor does a key without its header", arguments: PublicKey.all)
    func others(key: PublicKey) throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: key.data))
        let others = TLSPins(PublicKey.all.map(\.pin).filter { $0 != key.pin })
        #expect(!others.allow(subjectPublicKeyInfo: info))
        #expect(!TLSPins([key.pin]).allow(subjectPublicKeyInfo: key.data))
    }

    @Test("Data that isn't a supported key has no header", arguments: PublicKey.all)
    func noKeys(key: PublicKey) {
        let bytes = key.data
        for other in [
            Data(), Data([0x04]), Data([0x30]), Data([0x30, 0]), bytes.dropLast(), bytes + [0],
            bytes.dropFirst(),
            Data([0x02]) + bytes.dropFirst(), Data([0x04]) + Data(count: 63), Data([0x30, 0x84]),
            Data(count: 300),
        ] {
            #expect(SubjectPublicKeyInfo.data(ofKey: other) == nil)
        }
    }

    @Test("Without a pin, any key is accepted, and a text that isn't a digest matches no key")
    func empty() throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: PublicKey.all[0].data))
        #expect(TLSPins([]).isEmpty && TLSPins([]).allow(subjectPublicKeyInfo: info))
        for text in ["", "nonsense", "sha1/" + PublicKey.all[0].pin, " " + PublicKey.all[0].pin] {
            #expect(!TLSPins([text]).allow(subjectPublicKeyInfo: info))
        }
    }
}
