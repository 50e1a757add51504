import Foundation

extension Redactor {
    package func redacted(_ body: Data, contentType: String) -> Data? {
        let type = MediaType(contentType)
        let mark = body.prefix(body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let body = body.dropFirst(mark.count)
        // Servers often send JSON with another content type, or without one.
        let isLikeJSON = body.first { $0 > UInt8(ascii: " ") }.map("{[".utf8.contains) == true
        if isLikeJSON, let json = try? redacted(json: body) { return mark + json }
        do {
            switch type.name {
            case _ where body.isEmpty: return mark
            case _ where type.isJSON: return mark + (try redacted(json: body))
            case "application/x-www-form-urlencoded": return mark + (try redacted(form: body))
            case let name where ["event-stream", "ndjson", "jsonl"].contains(where: name.hasSuffix):
                return mark + (try redacted(lines: body))
            case let name where name.hasPrefix("multipart/"): return try redacted(parts: body, contentType)
            default: return nil
            }
        } catch {
            return Data(LogRedaction.placeholder.utf8)
        }
    }

    private func redacted(json text: Data) throws -> Data {
        let json = try JSON(parsing: text)
        let redacted = redacted(json).data
        return isRecording && redacted == json.data ? text : redacted
    }

    private func redacted(form body: Data) throws -> Data {
        let text = String(decoding: body, as: UTF8.self)
        guard body.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }),
            QueryItem.items(of: text).allSatisfy({ $0.value != nil }), text.removingPercentEncoding != nil
        else { throw UnreadableForm() }
        let form = names.redactedURL(text)
        return Data((isRecording ? form.replacing("<redacted>", with: "%3Credacted%3E") : form).utf8)
    }

    /// Redacts JSON Lines or an event stream (WHATWG HTML §9.2.6).
    private func redacted(lines body: Data) throws -> Data {
        let text = String(data: body, encoding: .utf8)?.unicodeScalars
        let lines = text?.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) } ?? []
        guard !lines.isEmpty, lines.allSatisfy({ !$0.unicodeScalars.dropLast().contains("\r") }) else {
            throw UnreadableForm()
        }
        let events = lines.split(omittingEmptySubsequences: false) { $0.isEmpty || $0 == "\r" }
        let redacted = events.flatMap { self.redacted(event: $0) + lines[$0.endIndex...].prefix(1) }
        return Data(redacted.joined(separator: "\n").utf8)
    }

    private func redacted(event lines: ArraySlice<String>) -> [String] {
        let values = lines.filter { $0.hasPrefix("data:") }.map { $0.dropFirst(5) }.joined(separator: "\n")
        var data = redacted(line: values).utf8.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        return lines.compactMap { line in
            line.hasPrefix("data:") ? data.popFirst().map { "data:\(Substring($0))" } : redacted(line: line)
        }
    }

    private func redacted(line: String) -> String {
        let json = (try? redacted(json: Data(line.utf8))).map { String(decoding: $0, as: UTF8.self) }
        return json ?? redacted(text: line, mayContainJSON: false)
    }

    private func redacted(parts body: Data, _ contentType: String) throws -> Data {
        var scanner = FieldScanner(contentType)
        let delimiter = Data("\n--\(scanner.parameters()["boundary"] ?? "")".utf8)
        let names = names.forItems(besideGrantType: body.range(of: Data("grant_type".utf8)) != nil)
        var parts = (Data("\n".utf8) + body).split(separator: delimiter, omittingEmptySubsequences: false)
        guard delimiter.count > 3, parts.count <= 1002, parts.first?.isEmpty == true,
            let end = parts.popLast(),
            end.starts(with: "--".utf8), end.dropFirst(2).allSatisfy(HTTPSyntax.isWhitespace)
        else { throw UnreadableForm() }
        let redacted = try parts.dropFirst().map { try self.redacted(part: $0, names) }
        return Data(([Data()] + redacted + [end]).joined(separator: delimiter).dropFirst())
    }

    private func redacted(part: Data, _ names: LogRedaction) throws -> Data {
        let newline: Character = part.first == UInt8(ascii: "\r") ? "\r\n" : "\n"
        let (lineEnd, end) = (Data(newline.utf8), Data(newline.utf8.dropLast()))
        let head = part[..<(part.range(of: lineEnd + lineEnd)?.upperBound ?? part.startIndex)]
        let lines = HTTPSyntax.text(head).split(separator: newline)
        guard head.starts(with: lineEnd), part.suffix(end.count) == end,
            lines.allSatisfy({ $0.contains(":") && HTTPSyntax.isFieldValue($0) })
        else { throw UnreadableForm() }
        let field = { (key: String) in lines.first { $0.lowercased().hasPrefix(key) }?.dropFirst(key.count) }
        var scanner = FieldScanner(field("content-disposition:") ?? "")
        let (disposition, type) = (scanner.parameters(), String(field("content-type:") ?? "text/plain"))
        let (body, media) = (part[head.endIndex...].dropLast(end.count), MediaType(type).name)
        if names.isSecret(disposition["name"] ?? "") || media.hasPrefix("multipart/") {
            return head + Data(LogRedaction.placeholder.utf8) + end
        }
        let isText = media == "text/plain" && !disposition.keys.contains { $0.hasPrefix("filename") }
        let text = (isText ? String(data: body, encoding: .utf8) : nil).map { Data(redacted(line: $0).utf8) }
        let file = isRecording ? body : Data("<\(body.count) bytes>".utf8)
        return head + (text ?? redacted(body, contentType: type) ?? file) + end
    }
}

private struct UnreadableForm: Error {}
