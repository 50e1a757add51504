#if os(Linux)
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
            _ = swallow_curl_set_request_callback(easy, CurlOption.requestFunction) { context, _, _, _, _ in
                CurlTransfer.of(context)?.allowSending() ?? CurlSignal.requestRefused
            }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
            context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Takes a line of a head, or of what follows a chunked body.
        private func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
            lastActivity = clock.now
            guard head.append(line) else {
                refusal = .badServerResponse
                return 0
            }
            if head.isComplete, !wasHeadGiven, RedirectPolicy.isRedirect(head.status) {
                wasHeadGiven = true
                exchange?.receiveHead(head.bytes)
            }
            return line.count
        }

        private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            if isPaused { return CurlSignal.pause }
            lastActivity = clock.now
            if body.count == 0 {
                let length = Int(max(0, swallow_curl_get_offset(easy, CurlInfo.contentLength)))
                if length > maximumSize { return refuseSize() }
                body.reserve(length)
            }
            if bytes.count > maximumSize - body.count { return refuseSize() }
            return body.append(bytes) ? bytes.count : 0
        }

        private func refuseSize() -> Int {
            refusal = .dataLengthExceedsMaximum
            return 0
        }

        private func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if isPaused { return CurlSignal.pause }
            lastActivity = clock.now
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
        private func allowSending() -> Int32 {
            if refusal != nil { return CurlSignal.requestRefused }
            sendings += 1
            if sendings == 1 || request?.isIdempotent == true { return CurlSignal.requestAllowed }
            refusal = .networkConnectionLost
            return CurlSignal.requestRefused
        }
    }
#endif
