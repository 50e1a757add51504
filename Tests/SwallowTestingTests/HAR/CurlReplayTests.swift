#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing

    @Suite("Replaying transfers that libcurl made", .enabled(if: CurlDataSource.isAvailable))
    struct CurlReplayTests {
        private let folder = Folder()

        @Test(
            "A replayed response equals the recorded one",
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

        @Test("Each redirect is a separate entry, and is replayed")
        func redirects() async throws {
            let server = try LoopbackServer()
            let request = URLRequest.to(server.baseURLString + "/redirect-to?url=/redirect/1&status=303") {
                $0.httpMethod = "POST"
                $0.httpBody = Data("a=1".utf8)
            }
            let (recorded, replayed) = await recordAndReplay(request, CurlDataSource(), in: folder)
            #expect(recorded.url == server.baseURLString + "/echo")
            #expect(replayed == recorded)
            let entries = try folder.har.entries
            #expect(entries.map(\.response.status) == [303, 302, 200])
            #expect(entries.map(\.request.method) == ["POST", "GET", "GET"])
            #expect(entries.map(\.response.redirectURL) == ["/redirect/1", "/echo", ""])
            #expect(entries[0].request.postData?.text == "a=1" && entries[1].request.postData == nil)
            let followedRedirects = Call(request, ReplayingDataSource(try folder.har)).resumed().task
                .transferMetrics?.followedRedirects
            #expect(followedRedirects?.map(\.head.statusCode) == [303, 302])
        }

        @Test("A secret in a redirect's location isn't recorded, and the redirect can still be replayed")
        func secretRedirect() async throws {
            let server = try LoopbackServer()
            let (recorded, replayed) = await recordAndReplay(
                .to(server.baseURLString + "/redirect-to?url=/json%3Ftoken%3D4f1c"), CurlDataSource(),
                in: folder)
            #expect(recorded.url == server.baseURLString + "/json?token=4f1c")
            #expect(replayed.data == recorded.data && replayed.status == 200)
            #expect(try !folder.text.contains("4f1c"))
        }

        @Test("A compressed body is recorded decompressed")
        func decoded() async throws {
            let server = try LoopbackServer()
            let source = CurlDataSource().recording(to: folder.file)
            _ = await Call(.to(server.baseURLString + "/gzip"), source).resumed().outcome
            let response = try folder.har.entries[0].response
            #expect(response.content.text == #"{"gzipped":true,"message":"unpacked"}"#)
            #expect(response.headers.contains { $0.name == "Content-Encoding" && $0.value == "gzip" })
        }

        @Test("A redirect that was the response is replayed as the response")
        func unfollowed() async throws {
            let server = try LoopbackServer()
            var configuration = CurlDataSource.Configuration()
            configuration.redirectPolicy = .doNotFollow
            let source = CurlDataSource(configuration: configuration)
            let (recorded, replayed) = await recordAndReplay(
                .to(server.baseURLString + "/redirect/1"), source, in: folder)
            #expect(recorded.status == 302)
            #expect(replayed == recorded)
        }

        @Test("A replayed stream has the recorded body parts")
        func parts() async throws {
            let server = try LoopbackServer()
            let stream = Stream(
                .to(server.baseURLString + "/chunked/50"), CurlDataSource().recording(to: folder.file))
            stream.call.task.resume()
            let rest = await stream.call.outcome.text
            let replay = Stream(
                .to(server.baseURLString + "/chunked/50"), ReplayingDataSource(try folder.har))
            replay.call.task.resume()
            #expect(await replay.call.outcome.error == nil)
            #expect(replay.parts.values.first == "head 200")
            #expect((stream.parts.values + [rest]).joined() == replay.parts.values.joined())
            #expect(stream.parts.values.dropFirst().first == replay.parts.values.dropFirst().first)
        }

        @Test("A service's request is replayed without its server")
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
