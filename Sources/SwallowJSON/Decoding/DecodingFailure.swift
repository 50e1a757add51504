/// Why JSON doesn't fit a ``Decoding``: the place, what should have been there and what is.
///
/// It isn't Swift's `DecodingError`, because that names Swift's types rather than JSON's, wants a `CodingKey` for each
/// step, and has no words of its own for a log.
public struct DecodingFailure: Error, Sendable {
    /// What went wrong at the place.
    public enum Reason: Sendable {
        /// The JSON there is of another type, or there is none: `found` is "nothing" then.
        case mismatch(expected: String, found: String)
        /// None of the forms that ``Decoding/oneOf(_:)`` lists fits; the failures' paths start from this place.
        case noneFits([DecodingFailure])
        /// A closure of `map`, `andThen` or `custom`, or the type's initialiser, threw this.
        case thrown(any Error)
        /// The data or text is no JSON at all.
        case unparsable(JSONError)
    }

    /// What went wrong at the place.
    public let reason: Reason
    /// The way to the place, the last step first, so that each level appends its own as the error passes.
    private var steps: [Step] = []

    @usableFromInline enum Step: Sendable {
        case member(String)
        case element(Int)
    }

    @usableFromInline init(_ reason: Reason) {
        self.reason = reason
    }

    @usableFromInline package init(expected: String, found: String) {
        self.init(.mismatch(expected: expected, found: found))
    }

    @usableFromInline init(expected: String, found json: JSON) {
        self.init(expected: expected, found: json.kindName)
    }

    /// Wraps an error that a closure threw; one that is a failure already stays as it is.
    @usableFromInline init(thrown error: any Error) {
        self = error as? DecodingFailure ?? DecodingFailure(.thrown(error))
    }

    /// The same failure, its path begun one level further up.
    @usableFromInline func under(_ step: Step) -> DecodingFailure {
        var failure = self
        failure.steps.append(step)
        return failure
    }

    /// The same failure, its path begun where the given one starts.
    @usableFromInline func under(_ path: some Sequence<String>) -> DecodingFailure {
        var failure = self
        failure.steps += path.reversed().map(Step.member)
        return failure
    }
}

extension DecodingFailure {
    /// The place, from the JSON that the decoding was given: `$[3].sports[0]`, as in JSONPath (RFC 9535), with
    /// brackets around names that need them: `$['first name']`.
    public var path: String {
        "$" + relativePath
    }

    private var relativePath: String {
        steps.reversed().map(\.text).joined()
    }
}

extension DecodingFailure {
    /// Whether the data or text is no JSON.
    package var isUnparsable: Bool { if case .unparsable = reason { true } else { false } }
}

extension DecodingFailure: CustomStringConvertible {
    /// For example `$[3].sports[0]: expected string, found number`.
    public var description: String {
        "\(path): \(reason)"
    }

    /// The failure in a list of several at the same place: `expected string, found number`, or with the path from there.
    fileprivate var descriptionFromHere: String {
        steps.isEmpty ? "\(reason)" : "\(relativePath): \(reason)"
    }
}

extension DecodingFailure.Reason: CustomStringConvertible {
    /// For example `expected string, found number`.
    public var description: String {
        switch self {
        case .mismatch(let expected, let found): "expected \(expected), found \(found)"
        case .noneFits(let failures):
            "none of \(failures.count) alternatives fits (\(failures.map(\.descriptionFromHere).joined(separator: "; ")))"
        case .thrown(let error): "\(error)"
        case .unparsable(let error): "invalid JSON: \(error)"
        }
    }
}

extension DecodingFailure.Step {
    /// The step as JSONPath writes it: the shorthand where RFC 9535 §2.5.1.1 allows it, else §2.3.1.1's quoted name.
    fileprivate var text: String {
        switch self {
        case .element(let position): "[\(position)]"
        case .member(let name) where Self.isShorthand(name): ".\(name)"
        case .member(let name):
            "['\(name.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())']"
        }
    }

    private static func isShorthand(_ name: String) -> Bool {
        let isNameFirst = { (scalar: Unicode.Scalar) in
            scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || !scalar.isASCII
        }
        guard let first = name.unicodeScalars.first, isNameFirst(first) else { return false }
        return name.unicodeScalars.allSatisfy { isNameFirst($0) || ("0"..."9").contains($0) }
    }
}

extension JSON {
    fileprivate var kindName: String {
        switch kind {
        case .missing: "nothing"
        case .bool: "boolean"
        case let kind: "\(kind)"
        }
    }
}
