import Foundation
import Testing

@testable import Swallow

@Suite("Pinned public keys")
struct PinTests {
    @Test("A bare key and its header are the key that openssl makes the pin of", arguments: PublicKey.all)
    func pin(key: PublicKey) throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: key.data))
        #expect(info.suffix(key.data.count) == key.data)
        for pins in [
            [key.pin], ["sha256/" + key.pin], ["sha256//" + key.pin], ["AA==", "\(key.pin)"],
        ] {
            #expect(TLSPins(pins).allow(subjectPublicKeyInfo: info))
        }
    }

    @Test("Another key doesn't fit, nor does a key without its header", arguments: PublicKey.all)
    func others(key: PublicKey) throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: key.data))
        let others = TLSPins(PublicKey.all.map(\.pin).filter { $0 != key.pin })
        #expect(!others.allow(subjectPublicKeyInfo: info))
        #expect(!TLSPins([key.pin]).allow(subjectPublicKeyInfo: key.data))
    }

    @Test("What is no such key has no header", arguments: PublicKey.all)
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

    @Test("Without a pin any key is taken; what is no digest fits none")
    func empty() throws {
        let info = try #require(SubjectPublicKeyInfo.data(ofKey: PublicKey.all[0].data))
        #expect(TLSPins([]).isEmpty && TLSPins([]).allow(subjectPublicKeyInfo: info))
        for text in ["", "nonsense", "sha1/" + PublicKey.all[0].pin, " " + PublicKey.all[0].pin] {
            #expect(!TLSPins([text]).allow(subjectPublicKeyInfo: info))
        }
    }
}
