import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

/// Fuzzes the parser that `FUZZ_TARGET` names. It must accept or reject any bytes, and a parsed value that is written
/// must parse again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    fuzzTarget(bytes)
    return 0
}

private let fuzzTarget: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let targets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
        "head": { fuzzHead($0) }, "cookie": { fuzzCookie(text($0)) }, "link": { fuzzLink(text($0)) },
        "retry-after": { fuzzRetryAfter(text($0)) }, "content-type": { fuzzContentType(text($0)) },
        "cache-control": { fuzzCacheControl(text($0)) }, "url": { fuzzURL(text($0)) },
        "redaction": { fuzzRedaction(text($0)) },
    ]
    guard let target = targets[ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""] else {
        fatalError("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

private func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

// MARK: - Heads

private func fuzzHead(_ bytes: UnsafeRawBufferPointer) {
    var head = CurlHeadBuffer(.init(size: 400, fields: 8))
    var rest = bytes[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
        let problem = head.append(UnsafeRawBufferPointer(rebasing: rest[..<end]), mayUpgrade: false)
        rest = rest[end...]
        check(problem != nil || head.bytes.count <= 400, "the head grows beyond its limit")
        if problem != nil { break }
    }
    if head.isComplete { check((200...999).contains(head.status), "a status of \(head.status)") }
    for lines in [head.bytes, Array(bytes)] {
        for (name, value) in EngineHead(status: 200, lines: lines).content.fields {
            check(!name.isEmpty, "a field without a name")
            check(!"\(name)\(value)".utf8.contains(0x0A), "a field with a line break")
        }
    }
}

// MARK: - Fields

private func fuzzCookie(_ line: String) {
    guard let cookie = EngineCookie(line: line), cookie.problem == nil else { return }
    guard let again = EngineCookie(line: cookie.line) else {
        return check(cookie.domain.hasPrefix("#"), "a cookie is lost: \(cookie)")
    }
    check(
        again.name == cookie.name && again.value == cookie.value && again.path == cookie.path,
        "a cookie differs")
    check(again.isSecure == cookie.isSecure && !again.line.utf8.contains(0x0A), "a cookie differs")
}

private func fuzzLink(_ field: String) {
    for (relation, target) in LinkHeader(field).targets {
        // Replaces scalars, because a backslash with an accent is one character.
        let quoted = relation.replacingScalar("\\", with: "\\\\").replacingScalar("\"", with: "\\\"")
        let again = LinkHeader("<\(target)>; rel=\"\(quoted)\"")
        check(again.targets[relation] == target, "a link differs: \(relation) \(target)")
    }
}

private func fuzzRetryAfter(_ field: String) {
    if let delay = RetryAfter.delay(field) {
        check(delay >= .zero && delay <= .seconds(1 << 31), "a delay of \(delay)")
    }
    if let date = HTTPDate.date(field) {
        check(abs(date.timeIntervalSince1970) < 260_000_000_000, "a date of \(date)")
    }
}

private func fuzzContentType(_ field: String) {
    let type = MediaType(field)
    check(ContentTypePattern(field).matches(type.name), "a type that its own pattern doesn't match")
    check(MediaType(type.name).name == type.name, "a type that differs: \(type.name)")
    _ = ContentTypePattern("*/*+*").matches(type.name)
}

private func fuzzCacheControl(_ field: String) {
    let control = CacheControl(field)
    check((0...(1 << 31)).contains(control.seconds("max-age") ?? 0), "an age that is out of range")
    check(CacheControl("no-cache, \(field)").has("no-cache"), "a directive that hides another")
    check(!control.has("no-store") || field.lowercased().contains("no-store"), "a directive that isn't there")
}

// MARK: - URLs

private func fuzzURL(_ text: String) {
    check(PercentEncoding.encode(text).removingPercentEncoding == text, "what was encoded differs")
    if let escaped = PercentEncoding.escapeIllegal(text) {
        check(PercentEncoding.escapeIllegal(escaped) == escaped, "what was escaped is escaped again")
    }
    let repaired = PercentEncoding.repair(text)
    check(PercentEncoding.repair(repaired) == repaired, "what was repaired is repaired again")
    _ = URL(named: text, from: URL(string: "http://h.example/a/b?c"))
    let (location, query) = text.locationAndQuery
    check(
        text.utf8.starts(with: location.utf8)
            && location.utf8.count + (query?.utf8.count ?? 0) <= text.utf8.count,
        "a query differs")
    check(text.withoutUserinfo.withoutUserinfo == text.withoutUserinfo, "a user is left")
    check("http://u:p@h.example/\(text)".withoutUserinfo == "http://h.example/\(text)", "a URL differs")
}

private func fuzzRedaction(_ text: String) {
    let redaction = LogRedaction.standard
    for redacted in [redaction.redacted(text), redaction.redactedURL(text)] + bodies(text) {
        check(redacted.utf8.count <= text.utf8.count * 12 + 12, "a text grows")
    }
    // Only some inputs are timed, because timing one takes as long as checking hundreds of others.
    if text.utf8.count % 128 == 33 { timeRedaction(text) }
    fuzzMembers(text)
    guard !text.contains("S3CRET") else { return }
    for url in [
        "https://u:S3CRET@h.example/?token=S3CRET&\(text)", "https://h.example/?%20token=S3CRET&to=\(text)",
        "https://h.example/?to=%2F%3Ftoken%3DS3CRET%26",
    ] {
        check(
            !redaction.redactedURL(url).contains("S3CRET"),
            "a secret is left in \(redaction.redactedURL(url))")
    }
}

/// Returns a text as logs show it in bodies of several media types.
private func bodies(_ text: String) -> [String] {
    [
        "application/json", "application/x-www-form-urlencoded", "text/event-stream",
        "multipart/form-data; boundary=x",
        "text/plain",
    ].map {
        LogRedaction.standard.text(ofBody: Data(text.utf8), contentType: $0, limit: .max) ?? ""
    }
}

/// Checks that redaction removes secrets from JSON, and that the result is still JSON.
private func fuzzMembers(_ text: String) {
    let redaction = LogRedaction.standard
    guard !text.contains("S3CRET"), let string = try? JSONEncoder().encode([text, #"{"token":"S3CRET"}"#])
    else { return }
    let inner = String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
    for json in [
        "{\"a\":[\(inner)],\"token\":\"S3CRET\"}", "{\"token\":[\(inner),\"S3CRET\"],\"b\":[\(inner)]}",
    ] {
        let redacted = redaction.redacted(json)
        check(!redacted.contains("S3CRET"), "a secret is left in \(redacted)")
        check((try? JSON(parsing: Data(redacted.utf8))) != nil, "no JSON is left in \(redacted)")
    }
}

/// Checks that the time doesn't grow with the square of the length. Then a text of four times the length would take
/// sixteen times as long.
private func timeRedaction(_ text: String) {
    for attempt in 1...3 {
        let (short, long) = (secondsToRedact(text, 32_768), secondsToRedact(text, 131_072))
        // Shorter times are too inexact.
        if long < 0.25 || long < 9 * short { return }
        check(attempt < 3, "128 KB take \(long) s, a quarter of that \(short) s")
    }
}

/// Returns the CPU time in seconds for about `count` bytes, which repeat the text.
private func secondsToRedact(_ text: String, _ count: Int) -> Double {
    let redaction = LogRedaction.standard
    let long = String(repeating: text, count: count / max(1, text.utf8.count))
    let start = clock()
    _ = redaction.redacted(long).utf8.count + redaction.redactedURL(long).utf8.count
    _ = bodies(long).count + bodies("{" + long).count + bodies("[\"" + long + "\"]").count
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}
