import Foundation

/// Checks that any bytes parse or fail. A parsed document can be read, written, parsed again and decoded, and equals
/// the result of JSONSerialization.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = Data(UnsafeBufferPointer(start: start, count: count))
    let json: JSON
    do {
        json = try JSON(parsing: data)
    } catch {
        check(
            error.offset >= 0 && error.offset <= count && error.line > 0 && error.column > 0, "error's place")
        checkRefusal(of: data, error)
        return 0
    }
    readThrough(json)
    for text in [json.data, Data(json.prettyPrinted.utf8), json.data(sortedKeys: true)] {
        guard let again = try? JSON(parsing: text) else { return check(false, "written text is illegal") }
        check(again == json && again.hashValue == json.hashValue, "written text differs")
    }
    let built = JSON.array([json])
    check(built[0] == json || built.fault != nil, "building differs")
    check((try? JSON(foundationObject: json.foundationObject)) != nil, "foundationObject can't be read")
    for options in [JSON.DecodingOptions(), snakeCase] {
        _ = try? json.decode(Anything.self, options: options)
        _ = try? json.decode([String: [Double]].self, options: options)
        _ = try? json.decode([Model].self, options: options)
    }
    checkFoundation(data, json)
    return 0
}

private let snakeCase: JSON.DecodingOptions = {
    var options = JSON.DecodingOptions()
    options.keyDecodingStrategy = .convertFromSnakeCase
    return options
}()

@discardableResult
private func check(_ condition: Bool, _ message: String) -> CInt {
    if !condition { fatalError(message) }
    return 0
}

private func readThrough(_ json: JSON) {
    _ = (json.string, json.int, json.uint64, json.double, json.decimal, json.bool, json[0], json["a"])
    check(json.elements.count + json.members.count == json.count, "count")
    check(!json[-1].exists && !json[json.count].exists, "element is found where there is none")
    checkMissing(json.kind == .array ? json["a"] : json[0])
    for (index, element) in json.elements.enumerated() {
        check(json[index].position == element.position, "element is another by its index")
        readThrough(element)
    }
    var names: Set<String> = []
    for (name, value) in json.members {
        let found = json[name]
        let isFirst = names.insert(name).inserted
        check(found.exists && (found.position == value.position) == isFirst, "member is another by its name")
        check(!json[name + "\u{0}"].exists || json.members.contains { $0.key == name + "\u{0}" }, "no member")
        readThrough(value)
    }
}

private func checkMissing(_ json: JSON) {
    check(!json.exists && !json.isNull && json.count == 0 && json == .missing, "missing exists")
    check(
        !json[0].exists && !json["a"].exists && json.elements.isEmpty && json.members.isEmpty,
        "missing's parts")
    check(json.int == nil && json.double == nil && json.string == nil && json.bool == nil, "missing's value")
    check(
        json.foundationObject is NSNull && json.description == "missing" && json.data == Data("null".utf8),
        "missing as null")
    check((try? json.decode(Bool?.self)) == .some(nil), "missing decodes")
}

/// Checks that JSONSerialization rejects the document too. It accepts UTF-16, UTF-32, parts of a byte order mark and
/// trailing commas, so these documents are skipped.
private func checkRefusal(of data: Data, _ error: JSONError) {
    guard !data.contains(0), !data.starts(with: [0xEF]), !data.starts(with: [0xFE]),
        !data.starts(with: [0xFF]),
        !error.expected.hasPrefix("at most"), !error.excerpt.hasPrefix("}"), !error.excerpt.hasPrefix("]")
    else { return }
    let accepted = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    check(accepted == nil, "JSONSerialization accepts: \(error)")
}

/// Checks that JSONSerialization has the same result, unless a name repeats or a number is zero, long or out of range.
private func checkFoundation(_ data: Data, _ json: JSON) {
    guard !hasExtremes(json) else { return }
    guard let object = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? NSObject
    else {
        return check(data.contains(0) || data.starts(with: [0xEF]), "JSONSerialization refuses") == 0
            ? () : ()
    }
    check((json.foundationObject as? NSObject) == object, "foundationObject differs")
}

private func hasExtremes(_ json: JSON) -> Bool {
    if let names = json.object, names.count != json.count { return true }
    if let text = json.numberText {
        // JSONSerialization reads long numbers as NSDecimalNumber, which may differ from an NSNumber of the same
        // double.
        return text.utf8.count > 17 || json.double.map { !$0.isNormal } ?? true
    }
    return json.elements.contains(where: hasExtremes) || json.members.contains { hasExtremes($0.value) }
}

private struct Model: Decodable {
    var a: Int
    var b: String?
    var c: [Int8]?
    var d: [String: Model]?
    var e: Decimal?
    var f: Date?
    var g: URL?
}

private enum Anything: Decodable {
    case scalar, list([Anything]), object([String: Anything])
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        _ = decoder.codingPath
        if container.decodeNil() || (try? container.decode(Double.self)) != nil
            || (try? container.decode(Int16.self)) != nil || (try? container.decode(String.self)) != nil
        {
            self = .scalar
        } else if let list = try? container.decode([Anything].self) {
            self = .list(list)
        } else if let object = try? container.decode([String: Anything].self) {
            self = .object(object)
        } else {
            _ = try? decoder.container(keyedBy: JSONKey.self).superDecoder().codingPath
            self = .scalar
        }
    }
}
