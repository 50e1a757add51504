extension Decoding {
    /// A decoding of an object's required member. A `null` isn't missing, so `value` reads it.
    @inlinable
    public static func field(_ name: String, _ value: Decoding) -> Self {
        Self(value.expected) { json throws(DecodingFailure) in try value.read(name, of: json) }
    }

    /// A decoding of the member at a path of nested objects. All members of the path are required.
    @inlinable
    public static func at(_ path: [String], _ value: Decoding) -> Self {
        Self(value.expected) { json throws(DecodingFailure) in try value.read(at: path, of: json) }
    }
}

extension Decoding {
    @inlinable
    func read(_ name: String, of object: JSON) throws(DecodingFailure) -> Value {
        // The subscript would retain its result, which takes 18 % more time.
        let position = object.member(name)
        guard position >= 0 else { throw absence(at: [name], of: object) }
        return try read(JSON(object.owner, at: position), as: .member(name))
    }

    @inlinable
    func read(at path: [String], of object: JSON) throws(DecodingFailure) -> Value {
        let member = path.reduce(object) { $0[$1] }
        guard member.exists else { throw absence(at: path, of: object) }
        do throws(DecodingFailure) {
            return try read(member)
        } catch {
            throw error.under(path)
        }
    }

    @inlinable
    func readOptional(_ name: String, of object: JSON) throws(DecodingFailure) -> Value? {
        let position = object.member(name)
        guard position >= 0 else {
            guard object.isObject else { throw DecodingFailure(expected: "object", found: object) }
            return nil
        }
        if JSON(object.owner, at: position).isNull { return nil }
        return try read(JSON(object.owner, at: position), as: .member(name))
    }

    @inlinable
    func read(_ part: JSON, as step: @autoclosure () -> DecodingFailure.Step) throws(DecodingFailure) -> Value
    {
        do throws(DecodingFailure) {
            return try read(part)
        } catch {
            throw error.under(step())
        }
    }

    @usableFromInline
    func absence(at path: [String], of object: JSON) -> DecodingFailure {
        var json = object
        for (depth, name) in path.enumerated() {
            guard json.isObject else {
                return DecodingFailure(expected: "object", found: json).under(path.prefix(depth))
            }
            json = json[name]
        }
        return DecodingFailure(expected: expected, found: json).under(path)
    }
}
