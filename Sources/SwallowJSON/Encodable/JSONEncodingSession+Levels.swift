import Foundation

struct JSONLevelID {
    fileprivate let index: Int
    fileprivate let serial: Int
}

extension JSONEncodingSession {
    @inline(__always)
    func begin(_ form: Level.Form) -> JSONLevelID {
        let id = beginValue()
        open(form, at: id)
        return id
    }

    @inline(__always)
    func beginValue() -> JSONLevelID {
        state.pointee.serial &+= 1
        let serial = state.pointee.serial
        let id = JSONLevelID(index: levels.count, serial: serial)
        levels.append(Level(form: .empty, serial: serial, firstFingerprint: fingerprints.count))
        return id
    }

    func open(_ form: Level.Form, at id: JSONLevelID) {
        guard isOpen(id) else { return fallBack() }
        if levels[id.index].form == .empty {
            levels[id.index].form = form
            buffer.append(form == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
        } else if levels[id.index].form != form {
            fallBack()
        }
    }

    func beginSingle(at id: JSONLevelID) -> Bool {
        guard isOpen(id), levels.count == id.index + 1, levels[id.index].form == .empty else {
            fallBack()
            return false
        }
        levels[id.index].form = .single
        return true
    }

    @inline(__always)
    func beginMember(_ key: some CodingKey, of id: JSONLevelID) -> Bool {
        guard beginItem(of: id) else { return false }
        let name = _slowPath(convertsNames) ? convertedName(of: key, in: id) : key.stringValue
        let text = writeName(name, of: id)
        if !isNew(name, text, in: id) { fallBack() }
        return true
    }

    @inline(__always)
    func beginUniqueMember(_ name: String, of id: JSONLevelID) -> Bool {
        guard beginItem(of: id) else { return false }
        if convertsNames { state.pointee.keys[id.index] = nil }
        writeName(name, of: id)
        return true
    }

    @discardableResult @inline(__always)
    private func writeName(_ name: String, of id: JSONLevelID) -> Range<Int> {
        let text = buffer.append(string: name)
        levels[id.index].nameStart = text.lowerBound
        levels[id.index].nameEnd = text.upperBound
        buffer.append(UInt8(ascii: ":"))
        return text
    }

    @inline(__always)
    func beginItem(of id: JSONLevelID) -> Bool {
        guard isOpen(id) else {
            fallBack()
            state.pointee.lostValues &+= 1
            return false
        }
        if levels.count > id.index + 1 { endLevels(inside: id) }
        if levels[id.index].count > 0 { buffer.append(UInt8(ascii: ",")) }
        levels[id.index].count &+= 1
        return true
    }

    @inline(__always)
    private func isOpen(_ id: JSONLevelID) -> Bool {
        id.index < levels.count && levels[id.index].serial == id.serial
    }

    @inline(__always)
    func end(_ id: JSONLevelID) {
        guard isOpen(id) else { return fallBack() }
        if levels.count > id.index + 1 { endLevels(inside: id) }
        endLast()
    }

    @inline(never)
    private func endLevels(inside id: JSONLevelID) {
        while levels.count > id.index + 1 { endLast() }
    }

    @inline(__always)
    private func endLast() {
        let level = levels.removeLast()
        switch level.form {
        case .object:
            buffer.append(UInt8(ascii: "}"))
            fingerprints.removeLast(fingerprints.count - level.firstFingerprint)
            if level.count > Self.stackedFingerprints { state.pointee.manyFingerprints[level.serial] = nil }
        case .array: buffer.append(UInt8(ascii: "]"))
        case .single: break
        // A type that encodes nothing becomes an empty object. At the top of the document, this is an error.
        case .empty where levels.isEmpty: fallBack()
        case .empty: buffer.append("{}")
        }
    }

    /// Returns the number of elements. It also grows after the array's end, so that a loop up to a count ends.
    func count(at id: JSONLevelID) -> Int {
        isOpen(id) ? levels[id.index].count : state.pointee.lostValues
    }
}

extension JSONEncodingSession {
    @inline(never)
    private func convertedName(of key: some CodingKey, in id: JSONLevelID) -> String {
        switch options.keyEncodingStrategy {
        case .convertToSnakeCase: return JSONKey.snakeCase(key.stringValue)
        case .custom(let convert):
            state.pointee.keys[id.index] = key
            return convert(path(to: id) + [key]).stringValue
        default: return key.stringValue
        }
    }

    private static var stackedFingerprints: Int { 32 }

    /// Returns whether the name is new. Rarely `false` for a new name, for example if another name has its fingerprint.
    @inline(__always)
    private func isNew(_ name: String, _ text: Range<Int>, in id: JSONLevelID) -> Bool {
        guard let fingerprint = buffer.fingerprint(ofASCII: text) ?? Self.fingerprint(of: name) else {
            return false
        }
        let level = levels[id.index]
        guard level.count <= Self.stackedFingerprints else { return isNewOfMany(fingerprint, level) }
        for index in level.firstFingerprint..<fingerprints.count where fingerprints[index] == fingerprint {
            return false
        }
        fingerprints.append(fingerprint)
        return true
    }

    /// Returns equal values for canonically equivalent names. `nil` if the name may be equivalent to an ASCII name.
    @inline(never)
    private static func fingerprint(of name: String) -> UInt64? {
        // These are equivalent to a semicolon, a K and a grave accent.
        let likeASCII: [Unicode.Scalar] = ["\u{37E}", "\u{212A}", "\u{1FEF}"]
        if name.unicodeScalars.contains(where: likeASCII.contains) { return nil }
        return UInt64(truncatingIfNeeded: name.hashValue)
    }

    @inline(never)
    private func isNewOfMany(_ fingerprint: UInt64, _ level: Level) -> Bool {
        if state.pointee.manyFingerprints[level.serial] == nil {
            let indices = level.firstFingerprint..<fingerprints.count
            state.pointee.manyFingerprints[level.serial] = Set(indices.map { fingerprints[$0] })
        }
        return state.pointee.manyFingerprints[level.serial, default: []].insert(fingerprint).inserted
    }
}

extension JSONEncodingSession {
    /// Returns the path, usually of ``JSONKey``s. A type may need its keys, so `JSONEncoder` encodes the value again.
    func codingPath(of id: JSONLevelID) -> [any CodingKey] {
        fallBack()
        return path(to: id)
    }

    private func path(to id: JSONLevelID) -> [any CodingKey] {
        (0..<min(id.index, levels.count)).compactMap { index in
            let level = levels[index]
            return switch level.form {
            case .object: state.pointee.keys[index] ?? JSONKey(stringValue: name(of: level))
            case .array: JSONKey(index: level.count - 1)
            case .single, .empty: nil
            }
        }
    }

    private func name(of level: Level) -> String {
        guard level.nameStart > 0 else { return "" }
        let quoted = buffer.text(level.nameStart - 1..<level.nameEnd + 1)
        return (try? JSON(parsing: Data(quoted)).string) ?? ""
    }
}
