import Foundation

/// A JSON document. Its bytes are the same in every run.
struct JSONCorpus: Sendable {
    let name: String
    let data: Data

    init(_ name: String, _ text: String) {
        self.name = name
        data = Data(text.utf8)
    }

    var label: String {
        let kilobytes = Double(data.count) / 1000
        return "\(name), \(String(format: kilobytes < 10 ? "%.1f" : "%.0f", kilobytes)) KB"
    }

    static let all = [posts, catalogue, coordinates, answer]

    /// A small API response without whitespace.
    static let answer = JSONCorpus(
        "answer",
        """
        {"stores":[\(list(of: 12, ",") { index, _ in
            #"{"id":\#(index),"name":"Squirrel Hill \#(index)","address":{"street":"\#(index)00 Murray Ave","#
                + #""city":"Pittsburgh","zip":"15217"},"open":true,"rating":4.\#(index % 10),"tags":["café"]}"#
        })],"total":12,"page":1,"next":null}
        """)

    /// Twenty records with four strings each.
    static let texts = JSONCorpus(
        "texts",
        """
        [\(list(of: 20, ",") { index, _ in
            #"{"id":"a7c3-\#(index)","name":"Squirrel Hill \#(index)","city":"Pittsburgh","#
                + #""email":"store\#(index)@example.com"}"#
        })]
        """)

    /// A hundred objects with strings, numbers, Booleans and short arrays.
    static let records = JSONCorpus(
        "records",
        """
        [\(list(of: 100, ",") { index, _ in
            #"{"id":\#(index),"uuid":"0b0c2d3e-\#(1000 + index)","first":"Ann","last":"Smith\#(index)","#
                + #""email":"ann\#(index)@example.com","age":\#(20 + index % 50),"score":\#(index).25,"#
                + #""active":true,"city":"Pittsburgh","zip":"15217","#
                + #""notes":"Lorem ipsum dolor sit amet, consectetur adipiscing elit","tags":["a","b","c"]}"#
        })]
        """)

    /// A thousand elements for ``Store``.
    static let stores = JSONCorpus(
        "stores",
        """
        [\(list(of: 1000, ",\n") { index, _ in
            """
            {"id": \(index), "name": "Store number \(index)", "city": "Pittsburgh", \
            "latitude": \(40 + Double(index) / 1000), "longitude": -\(79 + Double(index) / 1700), \
            "isOpen": \(index % 2 == 0), "phone": \(index % 3 == 0 ? "null" : "\"+1 412 555 \(1000 + index)\""), \
            "tags": ["food", "open late"]}
            """
        })]
        """)

    /// Polygons whose coordinates have 15 fraction digits, as in many GeoJSON files.
    static let coordinates = JSONCorpus(
        "coordinates",
        """
        {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Canada"},\
        "geometry":{"type":"Polygon","coordinates":[\(list(of: 45, ",") { _, random in
            let points = list(of: 1100, ",", &random) { _, random in
                "[-\(50 + random.next(90)).\(random.digits(15)),\(41 + random.next(40)).\(random.digits(15))]"
            }
            return "[\(points)]"
        })]}}]}
        """)

    /// Returns `count` texts, joined with the separator. They are the same in every call.
    static func list(
        of count: Int, _ separator: String, _ text: (Int, inout PseudorandomNumbers) -> String
    ) -> String {
        var random = PseudorandomNumbers()
        return list(of: count, separator, &random, text)
    }

    static func list(
        of count: Int, _ separator: String, _ random: inout PseudorandomNumbers,
        _ text: (Int, inout PseudorandomNumbers) -> String
    ) -> String {
        (0..<count).map { text($0, &random) }.joined(separator: separator)
    }
}

/// Knuth's MMIX generator. The benchmarks don't depend on the quality of its numbers.
struct PseudorandomNumbers {
    private var state: UInt64 = 42

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    /// Returns `count` digits. The first one isn't 0.
    mutating func digits(_ count: Int) -> String {
        (0..<count).map { $0 == 0 ? "\(1 + next(9))" : "\(next(10))" }.joined()
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[next(elements.count)]
    }
}
