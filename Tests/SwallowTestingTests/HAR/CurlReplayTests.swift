#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing

    @Suite("What libcurl has transferred is replayed", .enabled(if: CurlDataSource.isAvailable))
    struct CurlReplayTests {
        private let folder = Folder()

        @Test(
            "byte for byte",
            arguments: [
                "/json", "/gzip", "/bytes/70000", "/text?charset=iso-8859-1", "/text?charset=utf-16",
                "/empty",
                "/chunked/3", "/status/204", "/status/503?body=busy", "/headers?X-A=1&X-A=2&Set-Cookie=a%3D1",
                "/redirect/2", "/unauthorized", "/fault/close-before-head", "/fault/truncated",
                "/fault/garbage",
            ])
        func roundTrip(path: String) async throws {
            let server = try LoopbackServer()
            let request = URLRequest.to(server.baseURLString + path)
            let redaction = HAR.Redaction(LogRedaction(names: [String]()))
            let (recorded, replayed) = await recordAndReplay(
                request, CurlDataSource(), in: folder, redacting: redaction)
            #expect(recorded.status != nil || recorded.code != nil)
            #expect(replayed == recorded)
            #expect(try folder.har.problems == [])
        }

        @Test("without its server, for a service and its chain")
        func service() async throws {
            let server = try LoopbackServer()
            let base = server.baseURLString
            let source = CurlDataSource()
            let recording = WebService.test(
                source.replaying("test", in: folder.url, mode: .missing), base: base)
            #expect(try await recording.POST("/echo", parameters: ["a": 1]).json["form"]["a"].string == "1")
            server.stop()
            let replaying = WebService.test(
                source.replaying("test", in: folder.url, mode: .replay), base: base)
            #expect(try await replaying.POST("/echo", parameters: ["a": 1]).json["form"]["a"].string == "1")
        }
    }
#endif
