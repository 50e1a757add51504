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

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
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
                if head.isComplete, !wasHeadGiven, RedirectPolicy.isRedirect(head.status) {
                    wasHeadGiven = true
                    task?.receiveHead(head.bytes)
                }
                return true
            }
            refusal = .refused(.badServerResponse, "The response is refused: \(problem).")
            return false
        }

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            if pauses.isSuspended { return CurlSignal.pause }
            lastActivity = commons.now
            if body.count == 0 {
                let length = Int(max(0, swallow_curl_get_offset(easy, CurlInfo.contentLength)))
                if length > maximumSize { return refuseSize() }
                body.reserve(length)
                guard prepareDecoder() else { return 0 }
            }
            guard let decoder else { return keep(bytes) ? bytes.count : 0 }
            if decoder.decode(bytes, keep) { return bytes.count }
            if decoder.isTooLarge { return refuseSize() }
            refusal =
                refusal ?? .refused(.cannotDecodeContentData, "The body is not what Content-Encoding says.")
            return 0
        }

        private func prepareDecoder() -> Bool {
            let codings = head.framing.codings
            guard decoder == nil, !codings.isEmpty, CurlContentDecoder.accepted != nil else { return true }
            guard let new = CurlContentDecoder(codings, maximumSize: maximumSize) else {
                let text = codings.joined(separator: ", ").debugDescription
                refusal = .refused(.cannotDecodeContentData, "The Content-Encoding \(text) isn't known.")
                return false
            }
            decoder = new.isIdentity ? nil : new
            return true
        }

        private func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if bytes.count > maximumSize - body.count { return refuseSize() != 0 }
            return body.append(bytes)
        }

        private func refuseSize() -> Int {
            refusal = .refused(.dataLengthExceedsMaximum, ResponseSize.problem(over: maximumSize))
            return 0
        }

        private func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if pauses.isSuspended { return CurlSignal.pause }
            lastActivity = commons.now
            guard let data = request?.largeBody else { return 0 }
            let count = min(buffer.count, data.count - sent)
            data[(data.startIndex + sent)...].prefix(count).copyBytes(to: buffer)
            sent += count
            return count
        }

        private func rewind(to offset: Int64, from origin: Int32) -> Int32 {
            guard origin == SEEK_SET, offset >= 0, request?.isIdempotent == true else {
                return CurlSignal.seekFailed
            }
            sent = min(Int(offset), request?.largeBody?.count ?? 0)
            return CurlSignal.seekDone
        }

        /// libcurl sends a request again when a kept connection ends before the first byte of the response. The server
        /// may have handled it all the same, so it doesn't do so for a method that isn't idempotent.
        ///
        /// Nor is a request sent on a kept connection over which the server has said something meanwhile: a 408, say, would
        /// become its answer.
        private func allowSending(from port: Int) -> Int32 {
            if refusal != nil { return CurlSignal.requestRefused }
            socket = commons.sockets.socket(localPort: port)
            if sendings == 0, let socket, commons.sockets.hasSpoken(socket),
                swallow_curl_get_long(easy, CurlInfo.newConnections) == 0
            {
                isStale = true
                return CurlSignal.requestRefused
            }
            sendings += 1
            guard sendings == 1 || request?.isIdempotent == true else {
                refusal = .refused(.networkConnectionLost)
                return CurlSignal.requestRefused
            }
            // libcurl would send the engine's cookies beside the request's own. It keeps the response's all the same:
            // they are wanted again from the first line of the head on.
            if request?.signs.hasCookies == true { useCookies(false) }
            return CurlSignal.requestAllowed
        }
    }
#endif
