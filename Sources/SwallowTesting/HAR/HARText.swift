import Foundation
import Swallow

struct HARText {
    let text: String
    let isBase64: Bool

    init(text: String, isBase64: Bool) {
        self.text = text
        self.isBase64 = isBase64
    }

    /// Stores UTF-8 as text if `mimeType` names no charset except UTF-8 or US-ASCII. Otherwise, stores Base64.
    init(_ data: Data, mimeType: String) {
        let text = String(decoding: data, as: UTF8.self)
        isBase64 = Self.charset(of: mimeType) != nil || Data(text.utf8) != data
        self.text = isBase64 ? data.base64EncodedString() : text
    }

    func data(mimeType: String) -> Data? {
        if isBase64 { return Data(base64Encoded: text, options: .ignoreUnknownCharacters) }
        let encoding = Self.charset(of: mimeType).flatMap { TextDecoding.encoding(named: $0) }
        return encoding.flatMap { text.data(using: $0) } ?? Data(text.utf8)
    }

    private static func charset(of mimeType: String) -> String? {
        let charset = MediaType(mimeType).charset?.lowercased()
        return charset.flatMap { ["", "utf-8", "utf8", "us-ascii", "ascii"].contains($0) ? nil : $0 }
    }
}
