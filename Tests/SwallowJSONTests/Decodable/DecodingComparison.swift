import Foundation
import SwallowJSON
import Testing

/// Describes the result of a decoding: the value, or the error's kind and path.
func outcome<Value>(_ decode: () throws -> Value) -> String {
    do {
        let value = try decode()
        return "value " + described(value)
    } catch let error as DecodingError {
        switch error {
        case .typeMismatch(_, let context): return "typeMismatch " + path(context)
        case .valueNotFound(_, let context): return "valueNotFound " + path(context)
        case .keyNotFound(let key, let context): return "keyNotFound \(key.stringValue) " + path(context)
        case .dataCorrupted(let context): return "dataCorrupted " + path(context)
        @unknown default: return "unknown error"
        }
    } catch {
        return "\(Swift.type(of: error))"
    }
}

private func path(_ context: DecodingError.Context) -> String {
    context.codingPath.map { "." + $0.stringValue }.joined()
}

/// Describes a value. The members of dictionaries are sorted, and the properties of classes are included.
private func described(_ value: Any) -> String {
    var text = ""
    customDump(value, to: &text)
    return text
}

private func customDump(_ value: Any, to text: inout String) {
    if let dictionary = value as? any Sequence, Mirror(reflecting: value).displayStyle == .dictionary {
        let items = dictionary.map { item -> String in described(item) }
        text += "{" + items.sorted().joined(separator: ",") + "}"
        return
    }
    let mirror = Mirror(reflecting: value)
    if mirror.children.isEmpty || value is Date || value is Data || value is URL || value is Decimal {
        text += value is Data ? "\((value as? Data)?.base64EncodedString() ?? "")" : "\(value)"
        return
    }
    text += "\(Swift.type(of: value))("
    var next: Mirror? = mirror
    while let level = next {
        for child in level.children {
            text += "\(child.label ?? "_"):"
            customDump(child.value, to: &text)
            text += ","
        }
        next = level.superclassMirror
    }
    text += ")"
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}

/// Expects that both decoders have the same result.
func compare<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ options: JSON.DecodingOptions = JSON.DecodingOptions()
) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = options.dateDecodingStrategy
    decoder.dataDecodingStrategy = options.dataDecodingStrategy
    decoder.keyDecodingStrategy = options.keyDecodingStrategy
    decoder.nonConformingFloatDecodingStrategy = options.nonConformingFloatDecodingStrategy
    decoder.userInfo = options.userInfo
    let theirs = outcome { try decoder.decode(type, from: Data(text.utf8)) }
    let ours = outcome { try JSON(parsing: text).decode(type, options: options) }
    // For a number out of range, JSONDecoder has no path. For several faults in a dictionary, it reports any
    // of them.
    let isSame =
        ours == theirs || theirs == "dataCorrupted " && ours.hasPrefix(theirs)
        || type is any DictionaryType.Type && !ours.hasPrefix("value ") && !theirs.hasPrefix("value ")
    if !isSame {
        Issue.record("\(type) from \(text):\nours:   \(ours)\ntheirs: \(theirs)")
    }
}
