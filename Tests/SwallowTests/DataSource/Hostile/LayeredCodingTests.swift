#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("Decompression bombs", .enabled(if: CurlDataSource.isAvailable))
    struct LayeredCodingTests {
        private let source = CurlDataSource()

        private func server(_ codings: String, _ body: String) throws -> RawServer {
            let bytes = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
            return try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                let head = "Content-Encoding: \(codings)\r\nContent-Length: \(bytes.count)\r\n\r\n"
                connection.send(Array("HTTP/1.1 200 OK\r\n\(head)".utf8) + bytes)
                connection.waitForEnd()
            }
        }

        @Test(
            "Nested codings that unpack to gigabytes but to no content fail",
            arguments: [true, false])
        func nothing(isStreamed: Bool) async throws {
            let server = try server("gzip, gzip, gzip", Self.emptyBlocks)
            let call = StreamCall(try server.request(), source)
            if isStreamed { call.streaming() }
            let outcome = await call.resumed().outcome
            #expect(outcome.code == .cannotDecodeContentData)
            #expect(outcome.error?.localizedDescription.contains("decompression bomb") == true)
            #expect(call.streamed.isEmpty)
        }

        @Test("The loop serves other events while a body unpacks to many bytes", arguments: [true, false])
        func turns(isStreamed: Bool) async throws {
            let server = try server("gzip, gzip", Self.zeros)
            let (passes, count) = (Lock(0), Lock(0))
            let call = StreamCall(try server.request(), source) { part in
                if case .bytes(let bytes) = part { count.withLock { $0 += bytes.count } }
            }
            if isStreamed { call.streaming() }
            let (task, loop) = (call.task, source.loop)
            // Each visit requests the next one, which follows with the loop's next pass.
            @Sendable func visit() {
                if task.transferProgress.received > 0 { passes.withLock { $0 += 1 } }
                if !call.hasEnded { _ = loop.visitCookies { _ in visit() } }
            }
            _ = loop.visitCookies { _ in visit() }
            let outcome = await call.resumed().outcome
            #expect(outcome.error == nil)
            #expect((isStreamed ? call.streamed.count : outcome.data?.count) == 200_000_000)
            #expect(passes.withLock { $0 } > 2)
        }

        @Test("The idle timeout applies to a body that stalls after many bytes were unpacked")
        func idle() async throws {
            let bytes = try #require(Data(base64Encoded: Self.zeros, options: .ignoreUnknownCharacters))
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                let head = "Content-Encoding: gzip, gzip\r\nContent-Length: \(bytes.count + 1)\r\n\r\n"
                connection.send(Array("HTTP/1.1 200 OK\r\n\(head)".utf8) + bytes)
                connection.waitForEnd()
            }
            var count = 0
            // On a busy machine, the first bytes may arrive after the first timeouts.
            for timeout in [5.0, 20, 80] where count == 0 {
                var request = try server.request()
                request.timeoutInterval = timeout
                let call = StreamCall(request, source).streaming()
                #expect(await call.resumed().outcome.code == .timedOut)
                count = call.streamed.count
            }
            #expect(count > 0)
        }

        /// 200 MB of empty gzip blocks, compressed twice more with gzip.
        private static let emptyBlocks = """
            H4sIAAAAAAACA+3dMU9zZRzG4VLPcIhpAzTGN6EoDSTMLgTtUmGACT+AA+0MDiwdXCCkKWlMSJ1NPwNd6oq1DLybi2
            nFjZfFCAtbI/KYcz6FeXL9cw1n/q13cp7Pf0gL2RU/erodlwqFpPDFN9++m/3W+fL796OvPvy0WnDOOeecc84555xz
            zjnnXFTX/KO3V8w+1sNRfXf43Z8/AwAAAAAAcRlWLpNsDGi83bQ7TUEAAAAAACA6ra3yYjYGnL+ePadjQQAAAAAAID
            qTw+pK/sOgebhfvhAEAAAAAACi0x3sbOZjwEsYbSSCAAAAAABAdEr104N8DHgMx/upIAAAAAAAEJ3V9kM/HwPuwvRq
            6UQQAAAAAACIzfbTbW0hGwP64XqtNhMEAAAAAACiM+vtFbMxYD0c1XeHggAAAAAAQHSGlcskGwMabzftTlMQAAAAAA
            CITmurvJiNAeevZ8/pWBAAAAAAAIjO5LC6kr8gPA/3yxeCAAAAAABAdLqDnc18DHgJo41EEAAAAAAAiE6pfnqQjwGP
            4Xg/FQQAAAAAAKKz2n7o52PAXZheLZ0IAgAAAAAAsdl+uq0tZGNAP1yv1WaCAAAAAABAdGa9vWI2BqyHo/ruUBAAAA
            AAAIjOsHKZZGNA4+2m3WkKAgAAAAAA0WltlRezMeD89ew5HQsCAAAAAADRmRxWV/IXhOfhfvlCEAAAAAAAiE53sLOZ
            jwEvYbSRCAIAAAAAANEp1U8P8jHgMRzvp4IAAAAAAEB0VtsP/XwMuAvTq6UTQQAAAAAAIDbbT7e1hWwM6IfrtdpMEA
            AAAAAAiM6st1fMxoD1cFTfHQoCAAAAAADRGVYuk2wMaLzdtDtNQQAAAAAAIDqtrfJiNgacv549p2NBAAAAAAAgOpPD
            6kr+gvA83C9fCAIAAAAAANHpDnY28zHgJYw2EkEAAAAAACA6pfrpQT4GPIbj/VQQAAAAAACIzmr7oZ+PAXdherV0Ig
            gAAAAAAMRm++m2tpCNAf1wvVabCQIAAAAAANGZ9faK2RiwHo7qu0NBAAAAAAAgOsPKZZKNAY23m3anKQgAAAAAAESn
            tVVezMaA89ez53QsCAAAAAAARGdyWF3JXxCeh/vlC0EAAAAAACA63cHOZj4GvITRRiIIAAAAAABEp1Q/PcjHgMdwvJ
            8KAgAAAAAA0VltP/TzMeAuTK+WTgQBAAAAAIDYbD/d1hayMaAfrtdqM0EAAAAAACA6s95eMRsD1sNRfXcoCAAAAAAA
            RGdYuUyyMaDxdtPuNAUBAAAAAIDotLbKi9kYcP569pyOBQEAAAAAgOhMDqsr+QvC83C/fCEIAAAAAABEpzvY2czHgJ
            cw2kgEAQAAAACA6JTqpwf5GPAYjvdTQQAAAAAAIDo/tT/MkkKh23r3b/ir8f6Trz/rLBScc84597+6X8rTf4q138OP
            n/7698f/AbnoUAI2cgQA
            """

        /// 200 MB of zeros, compressed twice as gzip.
        private static let zeros = """
            H4sIAAAAAAACA+3cL0pEYRSH4W+cEQYFHYPJ4CxjyuA/sAkGzeICJpq9ICaL4BrMJqugyR2obbpiEDGJV+e6i/t7nn
            TyiYfDu37RLzNz3bf7TudvqC5/bt77CwUAAABouerlrDs7BpRh/bS7fwgAAAC03fHyUq85CnwfrW1ZBwAAALTe+Xg0
            aD4EPk4nPesAAACA1lv9mm42t4DH+nblwD4AAACg9Z4FAwAAACCKYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALIIBg
            AAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAA
            AABhBAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABBGMAAAAACyCAYAAABAFsEAAAAAyCIYAAAAAGEEAwAAACCLYAAAAA
            BkEQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQ
            RjAAAAAAsggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZLkej4azx4DBZ32ysT1fAPhXXZWd6d5deXhd/A
            WJzCQydfcCAA==
            """
    }
#endif
