import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cost of pipeline stages and of cache hits.
let pipelineBenchmarks = [
    Benchmark("pipeline: JSON of 60 bytes, one response(queue)") { () -> [Row] in
        let queue = DispatchQueue(label: "pipeline")
        let source = ReadyDataSource(
            Data(#"{"id":1,"name":"Swallow","tags":["a","b"],"ok":true}"#.utf8),
            contentType: "application/octet-stream")
        let plain = WebService(baseURLString: "http://localhost", dataSource: source)
        var parserless = WebService(
            baseURLString: "http://localhost", dataSource: source, standardTransformers: [])
        parserless.configure { _ in }
        var staged = parserless
        staged.configure { configuration in
            for key in configuration.pipeline.order { configuration.pipeline[key].add(Unchanging()) }
        }
        var configured = plain
        configured.configure { _ in }
        let services = [
            ("unconfigured", plain), ("configured, nothing but parsers", configured),
            ("no stage at all", parserless), ("five stages that change nothing", staged),
        ]
        let contenders = services.map { label, service in
            Contender(label, operations: 5000) { operations in
                // The handler is attached before the response arrives, as with a real network.
                var service = service
                service.startTasksImmediately = false
                perform(operations) { [service] done in
                    service.GET("/stores/15217").response(queue) { _, _ in done() }.resume()
                }
            }
        }
        let measurement = Measurement(contenders)
        return contenders.indices.map { Row(contenders[$0].label, cost: measurement.cost(of: $0)) } + [
            Row(
                "the five stages add", cost: measurement.costOfStep(from: 2, to: 3, steps: 1), goal: .cpu(1.5)
            )
        ]
    },
    Benchmark("caches: a hit") { () -> [Row] in
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let body = Data(repeating: UInt8(ascii: "1"), count: 100_000)
        guard let url = URL(string: "http://localhost/stores/15217"),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Type": "application/json"])
        else { fail("a response can't be created") }
        let entry = CachedResponse(response: response, data: body, content: 1, for: URLRequest(url: url))
        let (memory, disk) = (MemoryCache(), DiskCache(folder: folder))
        memory.write(entry, for: "key")
        disk.write(entry, for: "key")
        let file = folder.appending(path: "plain")
        try body.write(to: file)
        let contenders = [
            Contender("MemoryCache", operations: 20_000, goal: .cpu(1)) { operations in
                for _ in 0..<operations { blackHole(memory.read("key")) }
            },
            Contender("Data(contentsOf:), 100 KB", operations: 1000) { operations in
                for _ in 0..<operations { blackHole(try? Data(contentsOf: file)) }
            },
            Contender("DiskCache, 100 KB", operations: 1000) { operations in
                for _ in 0..<operations { blackHole(disk.read("key")) }
            },
        ]
        let measurement = Measurement(contenders)
        return contenders.indices.map { index in
            Row(
                contenders[index].label, cost: measurement.cost(of: index),
                result: index == 2 ? .ratio(measurement.ratio(of: 2, to: 1)) : nil,
                goal: contenders[index].goal)
        }
    },
]

/// The cost of an awaited request whose fresh response of 14 KB is in a cache. Only the memory cache stores the parsed
/// JSON.
let hitBenchmark = Benchmark("caches: a task's fresh hit") { () -> [Row] in
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let items = (0..<190).map {
        #"{"id":\#($0),"name":"Store number \#($0)","city":"Pittsburgh","zip":"15217","ok":true}"#
    }
    let source = ReadyDataSource(
        Data("[\(items.joined(separator: ","))]".utf8), contentType: "application/json",
        fields: ["Cache-Control": "max-age=86400", "ETag": "\"1\"", "Vary": "Accept-Encoding"])
    let plain = WebService(baseURLString: "http://localhost", dataSource: source)
    // Each service has its own cache, because a pipeline must not find the content of another pipeline.
    func service(
        _ caching: CachePolicy, _ cache: any EntityCache, at stage: PipelineStageKey
    ) -> WebService {
        plain.configured { configuration in
            configuration.cachePolicy = caching
            configuration.pipeline[stage].cacheUsing(cache)
        }
    }
    let services: [(String, WebService, Goal?)] = [
        ("no cache, an answer at once", plain, nil),
        (
            "MemoryCache, younger than a day",
            service(.preferCache(maxAge: .seconds(86_400)), MemoryCache(), at: .parsing), nil
        ),
        ("MemoryCache, by HTTP's rules", service(.standard, MemoryCache(), at: .parsing), .cpu(12)),
        (
            "DiskCache, by HTTP's rules, parsed", service(.standard, DiskCache(folder: folder), at: .rawData),
            .cpu(100)
        ),
    ]
    let contenders = services.map { label, service, goal in
        Contender(label, operations: 2000, goal: goal) { operations in
            wait {
                for _ in 0..<operations {
                    guard let json = try? await service.GET("/stores/15217").json, json.count == 190 else {
                        fail("a cache hit has no content")
                    }
                }
            }
        }
    }
    let measurement = Measurement(contenders)
    // The ratio of a cache hit's cost to the cost of parsing each response.
    let byParsing = Row(
        "MemoryCache, by HTTP's rules, by no cache", result: .ratio(measurement.ratio(of: 2, to: 0)),
        goal: .result(0.8, safe: 1.5))
    return contenders.indices.map {
        Row(contenders[$0].label, cost: measurement.cost(of: $0), goal: contenders[$0].goal)
    } + [byParsing] + [
        Row("the rules add", cost: measurement.costOfStep(from: 1, to: 2, steps: 1), goal: .cpu(1.5))
    ]
}

private struct Unchanging: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome { outcome }
}
