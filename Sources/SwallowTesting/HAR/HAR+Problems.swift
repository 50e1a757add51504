import Foundation
import Swallow

extension HAR {
    /// The violations of HAR 1.2 in the recording, each with its place: `log.entries[3].response.status: …`.
    ///
    /// A recording with violations may still be replayed, but other tools may reject it.
    package var problems: [String] {
        var found = HARProblems()
        let log = json["log"]
        found.expect(log, "log", ["version": .string, "creator": .object, "entries": .array])
        found.expect(log["creator"], "log.creator", ["name": .string, "version": .string])
        for (index, entry) in log["entries"].elements.enumerated() {
            found.check(Entry(json: entry), "log.entries[\(index)]")
        }
        return found.list
    }
}

/// The problems found so far.
private struct HARProblems {
    private(set) var list: [String] = []

    mutating func expect(_ json: JSON, _ place: String, _ members: KeyValuePairs<String, JSON.Kind>) {
        for (name, kind) in members where json[name].kind != kind {
            list.append("\(place).\(name): \(json[name].exists ? "isn't of type \(kind)" : "is missing")")
        }
    }

    mutating func check(_ entry: HAR.Entry, _ place: String) {
        expect(
            entry.json, place,
            [
                "startedDateTime": .string, "time": .number, "request": .object, "response": .object,
                "cache": .object, "timings": .object,
            ])
        if entry["startedDateTime"].kind == .string, entry.started == nil {
            list.append("\(place).startedDateTime: isn't an ISO 8601 date")
        }
        expect(
            entry["request"], "\(place).request",
            [
                "method": .string, "url": .string, "httpVersion": .string, "cookies": .array,
                "headers": .array,
                "queryString": .array, "headersSize": .number, "bodySize": .number,
            ])
        if let url = entry["request"]["url"].string, URL(string: url)?.scheme == nil {
            list.append("\(place).request.url: isn't an absolute URL")
        }
        if entry.request.postData != nil {
            expect(entry["request"]["postData"], "\(place).request.postData", ["mimeType": .string])
        }
        expect(
            entry["response"], "\(place).response",
            [
                "status": .number, "statusText": .string, "httpVersion": .string, "cookies": .array,
                "headers": .array, "content": .object, "redirectURL": .string, "headersSize": .number,
                "bodySize": .number,
            ])
        check(entry.response.content, "\(place).response.content")
        check(entry.request.headerFields, "\(place).request.headers")
        check(entry.response.headerFields, "\(place).response.headers")
        check(entry.timings, "\(place).timings")
    }

    private mutating func check(_ content: HAR.Content, _ place: String) {
        expect(content.json, place, ["size": .number, "mimeType": .string])
        guard content.text != nil else { return }
        guard let data = content.data else { return list.append("\(place).text: isn't Base64") }
        if content.size >= 0, content["encoding"].string?.lowercased() == "base64", data.count != content.size
        {
            list.append("\(place).size: is \(content.size), but the body has \(data.count) bytes")
        }
    }

    private mutating func check(_ fields: [HAR.Field], _ place: String) {
        for (index, field) in fields.enumerated() {
            expect(field.json, "\(place)[\(index)]", ["name": .string, "value": .string])
        }
    }

    private mutating func check(_ timings: HAR.Timings, _ place: String) {
        expect(timings.json, place, ["send": .number, "wait": .number, "receive": .number])
        for (name, value) in timings.json.members {
            if let value = value.double, value < 0, value != -1 {
                list.append("\(place).\(name): is \(value), but it must be -1, 0 or greater")
            }
        }
        if timings.ssl > timings.connect {
            list.append("\(place).connect: is shorter than ssl, which is part of it")
        }
    }
}
