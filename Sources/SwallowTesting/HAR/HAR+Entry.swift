import Foundation
import Swallow

extension HAR {
    /// One exchange: a request, what came back, and when.
    public struct Entry: Sendable, Hashable, HARObject {
        /// The object, with all its members.
        package var json: JSON

        /// Takes an object as it is.
        package init(json: JSON) {
            self.json = json
        }

        /// Creates an entry. Its `time` is the sum of the timings.
        package init(start: Date, request: Request, response: Response, timings: Timings = Timings()) {
            json = [
                "startedDateTime": .string(HARDate.text(start)), "time": .number(timings.total),
                "request": request.json, "response": response.json, "cache": [:], "timings": timings.json,
            ]
        }

        /// When the request was started, or `nil` if the entry has no readable `startedDateTime`.
        public var started: Date? { self["startedDateTime"].string.flatMap(HARDate.date) }

        /// The time from the start of the request to the end of the response. If the entry has no `time`, this is the sum of
        /// its timings.
        public var duration: Duration {
            .milliseconds(exactly: self["time"].double.flatMap { $0 >= 0 ? $0 : nil } ?? timings.total)
        }

        /// What was sent.
        public var request: Request {
            get { Request(json: self["request"]) }
            set { self["request"] = newValue.json }
        }

        /// What came back.
        public var response: Response {
            get { Response(json: self["response"]) }
            set { self["response"] = newValue.json }
        }

        /// How long each phase took.
        package var timings: Timings {
            get { Timings(json: self["timings"]) }
            set { self["timings"] = newValue.json }
        }
    }

    /// How long the phases of an exchange took, in milliseconds; −1 where a phase wasn't there or isn't known.
    package struct Timings: HARObject {
        /// The object, with all its members.
        package var json: JSON

        /// Takes an object as it is.
        package init(json: JSON) {
            self.json = json
        }

        /// Makes timings; `connect` includes `ssl`.
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

        /// In a queue, until a connection was there or could be made.
        package var blocked: Double { phase("blocked") }
        /// The look-up of the host's name.
        package var dns: Double { phase("dns") }
        /// Connecting, the TLS handshake included.
        package var connect: Double { phase("connect") }
        /// The TLS handshake.
        package var ssl: Double { phase("ssl") }
        /// Sending the request.
        package var send: Double { phase("send") }
        /// From the request's last byte to the response's first.
        package var wait: Double { phase("wait") }
        /// From the response's first byte to its last.
        package var receive: Double { phase("receive") }

        /// All that comes before the response's first byte.
        package var beforeFirstByte: Double {
            [blocked, dns, connect, send, wait].reduce(0) { $0 + max(0, $1) }
        }

        /// All phases that are known, each counted once.
        package var total: Double { Self.rounded(beforeFirstByte + max(0, receive)) }

        private func phase(_ name: String) -> Double {
            self[name].double.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1
        }

        /// Rounds to the microsecond.
        private static func rounded(_ milliseconds: Double) -> Double {
            milliseconds.isFinite ? (milliseconds * 1000).rounded() / 1000 : -1
        }
    }
}

/// Dates as HAR has them: ISO 8601 with milliseconds and a time zone.
enum HARDate {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String { style.format(date) }

    /// Tools write from no to seven digits of fractions, and offsets with and without a colon.
    static func date(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: /(.{10}T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)/) else {
            return nil
        }
        let (whole, fraction) = (match.1, match.2.flatMap { Double("0.\($0)") } ?? 0)
        let zone = String(match.3).replacing(":", with: "")
        guard let date = try? Date("\(whole)Z", strategy: .iso8601) else { return nil }
        return date.addingTimeInterval(fraction - offset(zone))
    }

    /// The seconds of `Z` or `+0130`.
    private static func offset(_ zone: String) -> TimeInterval {
        guard let number = Int(zone) else { return 0 }
        return TimeInterval(number / 100 * 3600 + number % 100 * 60)
    }
}
