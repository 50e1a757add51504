import Foundation

/// Where a value is written: a level as long as it is open.
struct JSONPlace {
    fileprivate let index: Int
    fileprivate let serial: Int
}

extension JSONWriting {
    enum Container {
        case object
        case array
    }

    /// Begins a container as the next value.
    @inline(__always)
    func begin(_ container: Container) -> JSONPlace {
        let place = beginValue()
        open(container, at: place)
        return place
    }

    /// Begins the next value, which says itself what it is.
    @inline(__always)
    func beginValue() -> JSONPlace {
        state.pointee.serial &+= 1
        let serial = state.pointee.serial
        let place = JSONPlace(index: levels.count, serial: serial)
        levels.append(Level(form: .empty, serial: serial, firstName: names.count))
        return place
    }

    /// Makes a value a container, or goes on with it where it is one of this form already.
    func open(_ container: Container, at place: JSONPlace) {
        guard isOpen(place) else { return giveUp() }
        let form: Level.Form = container == .object ? .object : .array
        if levels[place.index].form == .empty {
            levels[place.index].form = form
            output.append(container == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
        } else if levels[place.index].form != form {
            giveUp()
        }
    }

    /// Makes a value one without members, which is written next; false where it can't be.
    func beginSingle(at place: JSONPlace) -> Bool {
        guard isOpen(place), levels.count == place.index + 1, levels[place.index].form == .empty else {
            giveUp()
            return false
        }
        levels[place.index].form = .single
        return true
    }

    /// Begins an object's next member by its name. Open containers inside of it are ended. False where it has ended itself.
    @inline(__always)
    func beginMember(_ key: some CodingKey, of place: JSONPlace) -> Bool {
        guard beginItem(of: place) else { return false }
        let name = convertsNames ? convertedName(of: key, in: place) : key.stringValue
        let text = writeName(name, of: place)
        if !isNew(name, text, in: place) { giveUp() }
        return true
    }

    /// Begins a member of an object whose names are known to be different.
    @inline(__always)
    func beginUniqueMember(_ name: String, of place: JSONPlace) -> Bool {
        guard beginItem(of: place) else { return false }
        if convertsNames { state.pointee.keys[place.index] = nil }
        writeName(name, of: place)
        return true
    }

    @discardableResult @inline(__always)
    private func writeName(_ name: String, of place: JSONPlace) -> Range<Int> {
        let text = output.append(string: name)
        levels[place.index].nameStart = text.lowerBound
        levels[place.index].nameEnd = text.upperBound
        output.append(UInt8(ascii: ":"))
        return text
    }

    /// Begins an array's next element, or what comes before a member's name.
    @inline(__always)
    func beginItem(of place: JSONPlace) -> Bool {
        guard isOpen(place) else {
            giveUp()
            state.pointee.lost &+= 1
            return false
        }
        if levels.count > place.index + 1 { endLevels(inside: place) }
        if levels[place.index].count > 0 { output.append(UInt8(ascii: ",")) }
        levels[place.index].count &+= 1
        return true
    }

    @inline(__always)
    private func isOpen(_ place: JSONPlace) -> Bool {
        place.index < levels.count && levels[place.index].serial == place.serial
    }

    /// Ends a value, with all that is open inside of it.
    @inline(__always)
    func end(_ place: JSONPlace) {
        guard isOpen(place) else { return giveUp() }
        if levels.count > place.index + 1 { endLevels(inside: place) }
        endLast()
    }

    @inline(never)
    private func endLevels(inside place: JSONPlace) {
        while levels.count > place.index + 1 { endLast() }
    }

    @inline(__always)
    private func endLast() {
        let level = levels.removeLast()
        switch level.form {
        case .object:
            output.append(UInt8(ascii: "}"))
            names.removeLast(names.count - level.firstName)
            if level.count > Self.manyCount { state.pointee.manyNames[level.serial] = nil }
        case .array: output.append(UInt8(ascii: "]"))
        case .single: break
        // A value that encodes nothing is an empty object, but an error where it is the whole document.
        case .empty where levels.isEmpty: giveUp()
        case .empty: output.append("{}")
        }
    }

    /// How many elements an array has so far. Of one that has ended a number that grows: a type may go on until there are
    /// enough.
    func count(at place: JSONPlace) -> Int {
        isOpen(place) ? levels[place.index].count : state.pointee.lost
    }
}

// MARK: - Names

extension JSONWriting {
    @inline(never)
    private func convertedName(of key: some CodingKey, in place: JSONPlace) -> String {
        switch options.keyEncodingStrategy {
        case .convertToSnakeCase: return JSONKey.snakeCase(key.stringValue)
        case .custom(let convert):
            state.pointee.keys[place.index] = key
            return convert(path(to: place) + [key]).stringValue
        default: return key.stringValue
        }
    }

    /// From here on a set holds an object's names.
    private static var manyCount: Int { 32 }

    /// Whether no member of the object has had that name. Different names may have the same fingerprint, so it may also say
    /// no of a new one.
    @inline(__always)
    private func isNew(_ name: String, _ text: Range<Int>, in place: JSONPlace) -> Bool {
        guard let fingerprint = output.fingerprint(ofASCII: text) ?? Self.fingerprint(of: name) else {
            return false
        }
        let level = levels[place.index]
        guard level.count <= Self.manyCount else { return isNewOfMany(fingerprint, level) }
        for index in level.firstName..<names.count where names[index] == fingerprint { return false }
        names.append(fingerprint)
        return true
    }

    /// Of a name that isn't ASCII. Names are equal by canonical equivalence, as are their hash values. Nil where the name
    /// has a character that may make it equal to one of ASCII.
    @inline(never)
    private static func fingerprint(of name: String) -> UInt64? {
        // A Greek question mark is a semicolon, a Kelvin sign a K, a varia a grave accent.
        let likeASCII: [Unicode.Scalar] = ["\u{37E}", "\u{212A}", "\u{1FEF}"]
        if name.unicodeScalars.contains(where: likeASCII.contains) { return nil }
        return UInt64(truncatingIfNeeded: name.hashValue)
    }

    @inline(never)
    private func isNewOfMany(_ fingerprint: UInt64, _ level: Level) -> Bool {
        if state.pointee.manyNames[level.serial] == nil {
            state.pointee.manyNames[level.serial] = Set((level.firstName..<names.count).map { names[$0] })
        }
        return state.pointee.manyNames[level.serial, default: []].insert(fingerprint).inserted
    }
}

// MARK: - Paths

extension JSONWriting {
    /// The coding path of a value, for a type that reads it. The type may cast its keys, so `JSONEncoder` has to write the
    /// document.
    func codingPath(of place: JSONPlace) -> [any CodingKey] {
        giveUp()
        return path(to: place)
    }

    private func path(to place: JSONPlace) -> [any CodingKey] {
        (0..<min(place.index, levels.count)).compactMap { index in
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
        let quoted = output.text(level.nameStart - 1..<level.nameEnd + 1)
        return (try? JSON(parsing: Data(quoted)).string) ?? ""
    }
}
