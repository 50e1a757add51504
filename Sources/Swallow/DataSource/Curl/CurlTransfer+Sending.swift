#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    /// The request's body on its way out.
    extension CurlTransfer {
        func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            if pauses.isSuspended { return CurlSignal.pause }
            lastActivity = commons.now
            if let streamedBody { return send(streamedBody, into: buffer) }
            guard let data = request?.largeBody else { return 0 }
            let count = min(buffer.count, data.count - sent)
            data[(data.startIndex + sent)...].prefix(count).copyBytes(to: buffer)
            sent += count
            if tellsProgress { deliverSoon() }
            return count
        }

        /// Bytes of the request's body that are on their way: libcurl would count what is around chunks.
        var sentCount: Int64 {
            streamedBody == nil ? swallow_curl_get_offset(easy, CurlInfo.uploaded) : Int64(sent)
        }

        private func send(_ body: BodyPipe, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            switch body.take(into: buffer) {
            case .bytes(let count):
                sent += count
                if tellsProgress { deliverSoon() }
                return count
            case .end(let trailers):
                requestTrailers = trailers
                return 0
            case .failure(let error):
                refusal = .body(error)
                return CurlSignal.readAbort
            case .later:
                if stopsSending { return 0 }
                pauses.awaitBody()
                return CurlSignal.pause
            }
        }

        /// Begins the body anew, for a request that libcurl sends once more.
        func rewind(to offset: Int64, from origin: Int32) -> Int32 {
            guard origin == SEEK_SET, offset >= 0 else { return CurlSignal.seekFailed }
            guard request?.isIdempotent == true else { return refuseRewind("the method isn't idempotent") }
            if let body = streamedBody {
                guard offset == 0, let afresh = body.afresh() else {
                    return refuseRewind("the body goes out once")
                }
                streamedBody = afresh
                sent = 0
                afresh.start()
            } else {
                sent = min(Int(offset), request?.largeBody?.count ?? 0)
            }
            return CurlSignal.seekDone
        }

        private func refuseRewind(_ reason: String) -> Int32 {
            let text = "The connection ended before the answer, and the request isn't sent again: \(reason)."
            refusal = refusal ?? .refused(.networkConnectionLost, text)
            return CurlSignal.seekFailed
        }

        /// Has libcurl ask for the fields that follow a body in chunks.
        func setTrailers() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = swallow_curl_set_pointer(easy, CurlOption.trailerData, context)
            _ = swallow_curl_set_trailer_callback(easy, CurlOption.trailerFunction) { list, context in
                CurlTransfer.of(context)?.addTrailers(to: list) ?? CurlSignal.trailersFailed
            }
        }

        private func addTrailers(
            to list: UnsafeMutablePointer<UnsafeMutablePointer<swallow_curl_list>?>
        ) -> Int32 {
            for field in requestTrailers {
                guard let longer = swallow_curl_list_append(list.pointee, "\(field.name): \(field.value)")
                else {
                    return CurlSignal.trailersFailed
                }
                list.pointee = longer
            }
            return CurlSignal.trailersAdded
        }
    }
#endif
