extension Decoding {
    /// A decoding of an array, which reads each element with another decoding.
    @inlinable
    public static func array<Element>(_ element: Decoding<Element>) -> Self where Value == [Element] {
        Self("array") { json throws(DecodingFailure) in
            guard json.isArray else { throw DecodingFailure(expected: "array", found: json) }
            // A loop over `elements` would retain each value, which takes 10 % more time.
            let count = json.count
            var values: [Element] = []
            values.reserveCapacity(count)
            var place = json.position + 1
            for position in 0..<count {
                values.append(try element.read(JSON(json.owner, at: place), as: .element(position)))
                place = json.owner.end(ofPart: place)
            }
            return values
        }
    }

    /// A decoding of a dictionary, which reads each value with another decoding. The first of repeated names counts.
    @inlinable
    public static func dictionary<Element>(_ element: Decoding<Element>) -> Self
    where Value == [String: Element] {
        Self("object") { json throws(DecodingFailure) in
            let members = json.members
            if members.isEmpty, !json.isObject { throw DecodingFailure(expected: "object", found: json) }
            var values: [String: Element] = [:]
            values.reserveCapacity(members.count)
            for (name, json) in members where values[name] == nil {
                values[name] = .some(try element.read(json, as: .member(name)))
            }
            return values
        }
    }

    /// A decoding that also reads `null`, as `nil`. Unlike ``Field/optional(_:_:)``, it fails for a missing member.
    @inlinable
    public static func nullable<Wrapped>(_ wrapped: Decoding<Wrapped>) -> Self where Value == Wrapped? {
        Self(wrapped.expected) { json throws(DecodingFailure) in
            json.isNull ? nil : try wrapped.read(json)
        }
    }

    /// A decoding that tries several decodings in order. If none matches, the failure contains all their failures.
    @inlinable
    public static func oneOf(_ forms: [Decoding]) -> Self {
        Self("value") { json throws(DecodingFailure) in
            var failures: [DecodingFailure] = []
            for form in forms {
                do throws(DecodingFailure) {
                    return try form.read(json)
                } catch {
                    failures.append(error)
                }
            }
            throw DecodingFailure(.noneFits(failures))
        }
    }
}
