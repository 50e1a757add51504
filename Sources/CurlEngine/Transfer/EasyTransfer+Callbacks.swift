#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    /// The callbacks receive an unretained pointer to the transfer, which the event loop holds during each call.
    extension EasyTransfer {
        func setCallbacks(of easy: UnsafeMutableRawPointer) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            for option in [
                CurlOption.privateData, CurlOption.writeData, CurlOption.headerData, CurlOption.readData,
                CurlOption.seekData, CurlOption.requestData, CurlOption.trailerData,
                CurlOption.openSocketData, CurlOption.lookupData,
            ] {
                _ = swallow_curl_set_pointer(easy, option, context)
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.headerFunction) {
                bytes, size, count, context in
                let lines = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyTransfer.of(context)?.receiveHead(lines) ?? 0
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.writeFunction) {
                bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return EasyTransfer.of(context)?.receiveBody(bytes) ?? 0
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.readFunction) { bytes, size, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return EasyTransfer.of(context)?.sendBody(into: buffer) ?? CurlSignal.readAbort
            }
            _ = swallow_curl_set_seek_callback(easy, CurlOption.seekFunction) { context, offset, origin in
                EasyTransfer.of(context)?.rewind(to: offset, from: origin) ?? CurlSignal.seekFailed
            }
            _ = swallow_curl_set_request_callback(easy, CurlOption.requestFunction) {
                context, peer, local, peerPort, localPort in
                let ends = CurlSockets.Ends(
                    local: local, localPort: Int(localPort), peer: peer, peerPort: Int(peerPort))
                return EasyTransfer.of(context)?.allowSending(between: ends) ?? CurlSignal.requestAborted
            }
            _ = swallow_curl_set_open_callback(easy, CurlOption.openSocketFunction) { context, _, address in
                guard let address else { return -1 }
                return EasyTransfer.of(context)?.openSocket(address) ?? -1
            }
            guard CurlLibrary.waitsForNames else { return }
            _ = swallow_curl_set_lookup_callback(easy, CurlOption.lookupFunction) { _, _, context in
                EasyTransfer.of(context)?.beginLookup()
                return CurlSignal.proceed
            }
        }

        func setTrailerCallback(of easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_trailer_callback(easy, CurlOption.trailerFunction) { list, context in
                EasyTransfer.of(context)?.sending.addTrailers(to: list) ?? CurlSignal.trailersFailed
            }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> EasyTransfer? {
            context.map { Unmanaged<EasyTransfer>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    extension EasyTransfer {
        private func beginLookup() {
            // With a SOCKS proxy, libcurl may look up the server's name after it has opened the socket.
            guard lookup == .notBegun else { return }
            lookup = .underWay
            handle.suspendConnectTimeout()
        }

        private func openSocket(_ address: UnsafeMutableRawPointer) -> Int32 {
            if lookup == .underWay { _ = commons.options.applyConnectTimeout(to: handle.easy) }
            lookup = .over
            return notedFailure == nil ? commons.sockets.open(address) : -1
        }
    }

    extension EasyTransfer {
        private func allowSending(between ends: CurlSockets.Ends) -> Int32 {
            guard notedFailure == nil else { return CurlSignal.requestAborted }
            socket = commons.sockets.socket(between: ends)
            let hasSentBytes = socket.map(commons.sockets.hasSentBytes) ?? false
            switch sending.permit(hasSentBytes: hasSentBytes, handle.easy) {
            case .allowed:
                // libcurl would add stored cookies to the request's, so its cookie engine is off until the head begins.
                if request.signs.hasCookies {
                    handle.withholdCookies()
                    withholdsCookies = true
                }
                return CurlSignal.requestAllowed
            case .failed(let failure): noteFailure(failure)
            case .stale: break
            }
            return CurlSignal.requestAborted
        }

        private func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if pauses.holdsSent { return CurlSignal.pause }
            pauses.noteActivity(commons.now)
            switch sending.fill(buffer) {
            case .bytes(let count):
                if pauses.awaitsBody { continueSending() }
                if transfer.countsProgress { deliverSoon() }
                return count
            case .later:
                if response.stopsSending { return 0 }
                pauses.awaitBody()
                return CurlSignal.pause
            case .end: return 0
            case .failure(let error):
                noteFailure(.other(error))
                return CurlSignal.readAbort
            }
        }

        /// Ends the wait for bytes of the request's body. Usually, the body's source ends this wait. Here, libcurl has
        /// asked again by itself and has received bytes.
        private func continueSending() {
            pauses.endAwaitingBody()
            transfer.continueBody()
        }

        private func rewind(to offset: Int64, from origin: Int32) -> Int32 {
            guard origin == SEEK_SET, offset >= 0 else { return CurlSignal.seekFailed }
            guard let failure = sending.rewind(to: offset) else { return CurlSignal.seekDone }
            noteFailure(failure)
            return CurlSignal.seekFailed
        }
    }

    extension EasyTransfer {
        private func receiveHead(_ lines: UnsafeRawBufferPointer) -> Int {
            pauses.noteActivity(commons.now)
            if withholdsCookies {
                handle.restoreCookies()
                withholdsCookies = false
            }
            var rest = lines
            while let start = rest.baseAddress, rest.count > 0 {
                let end =
                    memchr(start, 0x0A, rest.count).map { UnsafeRawPointer($0) - start + 1 } ?? rest.count
                switch response.receive(UnsafeRawBufferPointer(rebasing: rest[..<end])) {
                case .line: break
                case .end:
                    if finishHead() != nil { return 0 }
                case .failed(let failure):
                    noteFailure(failure)
                    return 0
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            }
            return lines.count
        }

        private func finishHead() -> Int32? {
            pauses.receiveHead(status: response.head.status)
            if pauses.isOpenTunnel { commons.tunnels.append(self) }
            response.watchEnd(handle.easy)
            // This adds a command, which continues the body after this callback.
            if pauses.awaitsBody, response.stopsSending { transfer.continueBody() }
            return deliverHead()
        }

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            // A pause inside this callback doesn't stop libcurl from passing on the rest of its buffer of 120 KiB.
            if pauses.refusesBody { return CurlSignal.pause }
            pauses.noteActivity(commons.now)
            if let failure = response.note(bytes, isStreamed: deliversParts, handle.easy) {
                noteFailure(failure)
                return 0
            }
            if transfer.countsProgress { deliverSoon() }
            if let decoder = response.decoder {
                return unpack(decoder, { decoder.decode(bytes, $0) }) ? bytes.count : 0
            }
            if case .stop = store(bytes) { return 0 }
            return bytes.count
        }

        func unpackMore() -> Int32? {
            guard let decoder = response.decoder, decoder.isPaused else { return nil }
            return unpack(decoder, decoder.proceed) ? nil : CurlSignal.writeFailed
        }

        /// A body part is delivered once it has this many bytes, or at the end of the loop's pass.
        private static let partSize = 64 * 1024

        /// A few bytes may decode to gigabytes, so other transfers have their turn after this many decoded bytes.
        private static let unpackedAtOnce = 4 * 1024 * 1024

        private func unpack(
            _ decoder: CurlContentDecoder,
            _ decode: ((UnsafeRawBufferPointer) -> CurlContentDecoder.Flow) -> CurlContentDecoder.Flow
        ) -> Bool {
            var left = Self.unpackedAtOnce
            let flow = decode { bytes in
                left -= bytes.count
                let flow = store(bytes)
                if case .more = flow, left <= 0 { return .pause }
                return flow
            }
            if case .stop = flow {
                noteFailure(decoder.failure)
                return false
            }
            if case .pause = flow, !pauses.refusesBody {
                pauses.yield()
                _ = applyPauses()
                transfer.continueDecoding()
            }
            return true
        }

        private func store(_ bytes: UnsafeRawBufferPointer) -> CurlContentDecoder.Flow {
            guard deliversParts || response.hasRoom(for: bytes.count) || takesParts() else {
                noteFailure(response.excess)
                return .stop
            }
            guard response.body.append(bytes) else { return .stop }
            if pauses.hasUnansweredHead {
                guard response.body.count >= Self.partSize else { return .more }
                pauses.fillBuffer()
                _ = applyPauses()
                return .pause
            }
            guard deliversParts else { return .more }
            if response.body.count >= Self.partSize { deliverPart() } else { deliverSoon() }
            return pauses.ownerPause != .none ? .pause : .more
        }
    }
#endif
