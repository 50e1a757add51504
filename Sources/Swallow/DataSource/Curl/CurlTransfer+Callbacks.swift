#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    extension CurlTransfer {
        /// Sets the callbacks and their context, which stay the same for the handle's life.
        func setCallbacks() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            for option in [
                CurlOption.privateData, CurlOption.writeData, CurlOption.headerData, CurlOption.readData,
                CurlOption.seekData, CurlOption.requestData,
            ] {
                _ = swallow_curl_set_pointer(easy, option, context)
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.headerFunction) {
                bytes, size, count, context in
                CurlTransfer.of(context)?.receiveHead(
                    UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.writeFunction) {
                bytes, size, count, context in
                CurlTransfer.of(context)?.receiveBody(
                    UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            }
            _ = swallow_curl_set_data_callback(easy, CurlOption.readFunction) { bytes, size, count, context in
                let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return CurlTransfer.of(context)?.sendBody(into: buffer) ?? CurlSignal.readAbort
            }
            _ = swallow_curl_set_seek_callback(easy, CurlOption.seekFunction) { context, offset, origin in
                CurlTransfer.of(context)?.rewind(to: offset, from: origin) ?? CurlSignal.seekFailed
            }
            _ = swallow_curl_set_request_callback(easy, CurlOption.requestFunction) {
                context, _, _, _, port in
                CurlTransfer.of(context)?.allowSending(from: Int(port)) ?? CurlSignal.requestRefused
            }
        }

        static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
            context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Takes a line of a head, or of what follows a chunked body; several at once where the transfer was paused as they
        /// came.
        private func receiveHead(_ lines: UnsafeRawBufferPointer) -> Int {
            lastActivity = commons.now
            if CurlLibrary.knowsSendings { useCookies(request?.handlesCookies == true) }
            var rest = lines
            while let start = rest.baseAddress, rest.count > 0 {
                let end =
                    memchr(start, 0x0A, rest.count).map { UnsafeRawPointer($0) - start + 1 } ?? rest.count
                guard receiveLine(UnsafeRawBufferPointer(rebasing: rest[..<end])) else { return 0 }
                rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            }
            return lines.count
        }

        /// Takes one line; says whether to go on.
        private func receiveLine(_ line: UnsafeRawBufferPointer) -> Bool {
            let mayUpgrade = request?.signs.asksForUpgrade == true
            guard let problem = head.append(line, mayUpgrade: mayUpgrade) else {
                if head.isComplete, endsWithConnection, tlsWatch == nil {
                    tlsWatch = swallow_curl_watch_tls(easy)
                }
                if pauses.awaitsBody, stopsSending { task?.attendAgain() }
                guard head.isComplete, !wasHeadGiven else { return true }
                if isStreamed || RedirectPolicy.isRedirect(head.status) {
                    giveHead()
                } else {
                    if wantsHead, (200..<300).contains(head.status) {
                        // Lines that follow are trailers.
                        wantsHead = false
                        task?.receiveHead(head.bytes)
                    }
                    awaitClaim()
                }
                return true
            }
            refusal = .refused(.badServerResponse, "The response is refused: \(problem).")
            return false
        }

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            if pauses.isSuspended { return CurlSignal.pause }
            lastActivity = commons.now
            if received == 0, !begin() { return 0 }
            received += Int64(bytes.count)
            if tellsProgress { deliverSoon() }
            guard let decoder else {
                if case .stop = keep(bytes) { return 0 }
                return bytes.count
            }
            return isRefused(unpack { decoder.decode(bytes, $0) }, by: decoder) ? 0 : bytes.count
        }

        /// How many bytes a transfer unpacks in one pass: a few may unpack to gigabytes, and other transfers wait meanwhile.
        private static let unpackedAtOnce = 4 * 1024 * 1024

        /// Keeps what a decoder gives, until it is the turn of others.
        private func unpack(
            _ decode: ((UnsafeRawBufferPointer) -> CurlContentDecoder.Flow) -> CurlContentDecoder.Flow
        ) -> CurlContentDecoder.Flow {
            var left = Self.unpackedAtOnce
            let flow = decode { bytes in
                left -= bytes.count
                let flow = keep(bytes)
                if case .goOn = flow, left <= 0 { return .hold }
                return flow
            }
            if case .hold = flow, !pauses.isFull { yield() }
            return flow
        }

        /// Pauses until the loop's next pass.
        private func yield() {
            pauses.isYielding = true
            commons.yielding.append(self)
            _ = applyPauses()
        }

        /// Goes on after a pass of the loop; returns a code where that ends the transfer.
        func proceedUnpacking() -> Int32 {
            pauses.isYielding = false
            return pauses.holdsReceived ? 0 : decodeMore() ?? applyPauses()
        }

        /// Gets ready for the first bytes of a body; says whether they are wanted.
        private func begin() -> Bool {
            if !isStreamed {
                body.reserve(Int(max(0, swallow_curl_get_offset(easy, CurlInfo.contentLength))))
            }
            return prepareDecoder()
        }

        /// Goes on with what the decoder keeps; returns a code where that ends the transfer.
        func decodeMore() -> Int32? {
            guard let decoder, decoder.isHolding else { return nil }
            return isRefused(unpack(decoder.proceed), by: decoder) ? CurlSignal.writeFailed : nil
        }

        private func isRefused(_ flow: CurlContentDecoder.Flow, by decoder: CurlContentDecoder) -> Bool {
            guard case .stop = flow else { return false }
            let text =
                decoder.isExcessive
                ? "The codings of the body make much of one another, and little comes of it."
                : "The body is not what Content-Encoding says."
            refusal = refusal ?? .refused(.cannotDecodeContentData, text)
            return true
        }

        private func prepareDecoder() -> Bool {
            let codings = head.framing.codings
            guard decoder == nil, !codings.isEmpty, CurlContentDecoder.accepted != nil else { return true }
            guard let new = CurlContentDecoder(codings) else {
                let text = codings.joined(separator: ", ").debugDescription
                refusal = .refused(.cannotDecodeContentData, "The Content-Encoding \(text) isn't known.")
                return false
            }
            decoder = new.isIdentity ? nil : new
            return true
        }

        private func keep(_ bytes: UnsafeRawBufferPointer) -> CurlContentDecoder.Flow {
            if isStreamed { return keepPart(bytes) }
            if bytes.count > maximumSize - body.count {
                refuseSize()
                return .stop
            }
            return body.append(bytes) ? .goOn : .stop
        }

        private func refuseSize() {
            refusal = .refused(.dataLengthExceedsMaximum, ResponseSize.problem(over: maximumSize))
        }

        /// Pauses a body in memory whose head promises more than the maximum, so that a task can still claim it.
        private func awaitClaim() {
            guard let length = head.framing.length, length > Int64(maximumSize), mayHaveBody else { return }
            pauses.awaitsClaim = true
            claimLimit = CurlClock.moment(commons.now, after: UInt64(ResponseSize.claimTime * 1e9))
            _ = applyPauses()
            // The loop then knows of the limit.
            task?.attendAgain()
        }

        /// libcurl sends a request again when a kept connection ends before the first byte of the response. The server
        /// may have handled it all the same, so here it does so for idempotent methods only, once, and on a new connection:
        /// others that were kept may have died, too.
        ///
        /// Nor is a request sent on a kept connection over which the server has said something meanwhile: a 408, say, would
        /// become its answer.
        private func allowSending(from port: Int) -> Int32 {
            if refusal != nil { return CurlSignal.requestRefused }
            socket = commons.sockets.socket(localPort: port)
            let isRepeat = sendings > 0
            if isRepeat, sendings > 1 || request?.isIdempotent != true {
                refusal = .refused(.networkConnectionLost)
                return CurlSignal.requestRefused
            }
            let hasSpoken = socket.map(commons.sockets.hasSpoken) ?? false
            if isRepeat || hasSpoken, swallow_curl_get_long(easy, CurlInfo.newConnections) == 0 {
                isStale = true
                return CurlSignal.requestRefused
            }
            sendings += 1
            // libcurl would send the engine's cookies beside the request's own. It keeps the response's all the same:
            // they are wanted again from the first line of the head on.
            if request?.signs.hasCookies == true { useCookies(false) }
            return CurlSignal.requestAllowed
        }
    }
#endif
