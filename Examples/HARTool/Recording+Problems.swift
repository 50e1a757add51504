import Foundation
import Swallow
import SwallowTesting

extension Recording {
    /// The violations of HAR 1.2 in the recording, each with its place: `log.entries[3].response.status: …`.
    ///
    /// A recording with violations may still be replayed, but other tools may reject it.
    var problems: [String] {
        var found = Problems()
        found.expect(log, "log", ["version": .string, "creator": .object, "entries": .array])
        found.expect(log["creator"], "log.creator", ["name": .string, "version": .string])
        for (index, exchange) in exchanges.enumerated() {
            found.check(exchange, "log.entries[\(index)]")
        }
        return found.list
    }
}

/// The problems found so far.
private struct Problems {
    private(set) var list: [String] = []

    mutating func expect(_ json: JSON, _ place: String, _ members: KeyValuePairs<String, JSON.Kind>) {
        for (name, kind) in members where json[name].kind != kind {
            list.append("\(place).\(name): \(json[name].exists ? "isn't of type \(kind)" : "is missing")")
        }
    }

    mutating func check(_ exchange: Recording.Exchange, _ place: String) {
        let json = exchange.json
        let (request, response) = (json["request"], json["response"])
        expect(
            json, place,
            [
                "startedDateTime": .string, "time": .number, "request": .object, "response": .object,
                "cache": .object, "timings": .object,
            ])
        if json["startedDateTime"].kind == .string, exchange.entry.started == nil {
            list.append("\(place).startedDateTime: isn't an ISO 8601 date")
        }
        expect(
            request, "\(place).request",
            [
                "method": .string, "url": .string, "httpVersion": .string, "cookies": .array,
                "headers": .array, "queryString": .array, "headersSize": .number, "bodySize": .number,
            ])
        if let url = request["url"].string, URL(string: url)?.scheme == nil {
            list.append("\(place).request.url: isn't an absolute URL")
        }
        if request["postData"].kind == .object {
            expect(request["postData"], "\(place).request.postData", ["mimeType": .string])
        }
        expect(
            response, "\(place).response",
            [
                "status": .number, "statusText": .string, "httpVersion": .string, "cookies": .array,
                "headers": .array, "content": .object, "redirectURL": .string, "headersSize": .number,
                "bodySize": .number,
            ])
        checkContent(response["content"], exchange.entry.response.body, "\(place).response.content")
        checkFields(request["headers"], "\(place).request.headers")
        checkFields(response["headers"], "\(place).response.headers")
        checkTimings(json["timings"], "\(place).timings")
    }

    private mutating func checkContent(_ content: JSON, _ body: Data?, _ place: String) {
        expect(content, place, ["size": .number, "mimeType": .string])
        guard content["text"].kind == .string else { return }
        guard let body else { return list.append("\(place).text: isn't Base64") }
        if let size = content["size"].int, size >= 0, content["encoding"].string?.lowercased() == "base64",
            body.count != size
        {
            list.append("\(place).size: is \(size), but the body has \(body.count) bytes")
        }
    }

    private mutating func checkFields(_ fields: JSON, _ place: String) {
        for (index, field) in fields.elements.enumerated() {
            expect(field, "\(place)[\(index)]", ["name": .string, "value": .string])
        }
    }

    private mutating func checkTimings(_ timings: JSON, _ place: String) {
        expect(timings, place, ["send": .number, "wait": .number, "receive": .number])
        for (name, value) in timings.members {
            if let value = value.double, value < 0, value != -1 {
                list.append("\(place).\(name): is \(value), but it must be -1, 0 or greater")
            }
        }
        if let ssl = timings["ssl"].double, ssl > timings["connect"].double ?? -1 {
            list.append("\(place).connect: is shorter than ssl, which is part of it")
        }
    }
}
