import Foundation
import Swallow

extension HAR {
    /// One exchange, with its request, its response and its times.
    public struct Entry: Sendable, Hashable, HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(start: Date, request: Request, response: Response, timings: Timings = Timings()) {
            json = [
                "startedDateTime": .string(HARDate.text(start)), "time": .number(timings.total),
                "request": request.json, "response": response.json, "cache": [:], "timings": timings.json,
            ]
        }

        /// The time when the request started. `nil` if the entry has no valid `startedDateTime`.
        public var started: Date? { self["startedDateTime"].string.flatMap(HARDate.date) }

        /// The duration of the exchange. If the entry has no valid `time`, it is computed from the entry's timings.
        public var duration: Duration {
            .milliseconds(exactly: self["time"].double.flatMap { $0 >= 0 ? $0 : nil } ?? timings.total)
        }

        /// The request that was sent.
        public var request: Request {
            get { Request(json: self["request"]) }
            set { self["request"] = newValue.json }
        }

        /// The response that was received.
        public var response: Response {
            get { Response(json: self["response"]) }
            set { self["response"] = newValue.json }
        }

        package var timings: Timings { Timings(json: self["timings"]) }
    }

    /// The duration of each phase in milliseconds. −1 means that the phase didn't happen or isn't known.
    package struct Timings: HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package init(
            blocked: Double = -1, dns: Double = -1, connect: Double = -1, ssl: Double = -1, send: Double = 0,
            wait: Double = 0, receive: Double = 0
        ) {
            let phases = [
                ("blocked", blocked), ("dns", dns), ("connect", connect), ("send", send), ("wait", wait),
                ("receive", receive), ("ssl", ssl),
            ]
            json = .object(phases.map { ($0, $1 < 0 ? -1 : .number(Self.rounded($1))) })
        }

        package var blocked: Double { phase("blocked") }
        package var dns: Double { phase("dns") }
        package var connect: Double { phase("connect") }
        package var ssl: Double { phase("ssl") }
        package var send: Double { phase("send") }
        package var wait: Double { phase("wait") }
        package var receive: Double { phase("receive") }

        package var beforeFirstByte: Double {
            [blocked, dns, connect, send, wait].reduce(0) { $0 + max(0, $1) }
        }

        package var total: Double { Self.rounded(beforeFirstByte + max(0, receive)) }

        private func phase(_ name: String) -> Double {
            self[name].double.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        }

        private static func rounded(_ milliseconds: Double) -> Double {
            milliseconds.isFinite ? (milliseconds * 1000).rounded() / 1000 : -1
        }
    }
}

enum HARDate {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String { style.format(date) }

    /// Parses an ISO 8601 date. Tools write any number of fractional digits, or offsets without a colon.
    static func date(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(.{10}T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)/) else {
            return nil
        }
        let (whole, fraction) = (match.1, match.2.flatMap { Double("0.\($0)") } ?? 0)
        let zone = String(match.3).replacing(":", with: "")
        guard let date = try? Date("\(whole)Z", strategy: .iso8601) else { return nil }
        return date.addingTimeInterval(fraction - offset(zone))
    }

    private static func offset(_ zone: String) -> TimeInterval {
        guard let number = Int(zone) else { return 0 }
        return TimeInterval(number / 100 * 3600 + number % 100 * 60)
    }
}
