#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    package enum CurlLibrary {
        package static var isAvailable: Bool { version != nil }

        /// Whether libcurl may be initialized while other code initializes it.
        package static var initializesSafely: Bool {
            swallow_curl_load() == 0 || swallow_curl_features() & Feature.threadSafe != 0
        }

        /// The version of libcurl as `0xXXYYZZ`, or `nil` if Swallow can't use libcurl.
        static let version: UInt32? = {
            let version = swallow_curl_load()
            guard version >= 0x07_44_00, swallow_curl_features() & Feature.asynchronousNames != 0 else {
                return nil
            }
            guard swallow_curl_global_init() == 0 else { return nil }
            CurlLoops.stopAtExit()
            return version
        }()

        static let versionText = version == nil ? "" : String(cString: swallow_curl_version_text())

        static let knowsSendings = (version ?? 0) >= 0x07_50_00

        /// Whether ending a transfer during its name lookup may block the loop. `CURLOPT_QUICK_EXIT` prevents that.
        static let waitsForNames = (version ?? 0) < 0x07_57_00

        /// Whether the reset of an HTTP/2 stream waits for other data on its connection (curl's issue 17611).
        static let delaysResets = (0x07_58_00..<0x08_0F_00).contains(version ?? 0)

        /// Whether HTTP/2 without TLS fails from a connection's second request on (curl's issue 10634).
        static let breaksPriorKnowledge = (0x07_58_00..<0x08_00_00).contains(version ?? 0)

        /// Blocks the signal that ends the process when an older libcurl writes to a socket that the peer has closed.
        static func blockBrokenPipeSignals() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        private enum Feature {
            static let asynchronousNames: UInt32 = 1 << 7
            static let threadSafe: UInt32 = 1 << 30
        }
    }

    enum CurlOption {
        static let sslVersion: Int32 = 32
        static let noBody: Int32 = 44
        static let post: Int32 = 47
        static let httpProxyTunnel: Int32 = 61
        static let verifyPeer: Int32 = 64
        static let freshConnect: Int32 = 74
        static let forbidReuse: Int32 = 75
        static let verifyHost: Int32 = 81
        static let httpVersion: Int32 = 84
        static let bufferSize: Int32 = 98
        static let noSignal: Int32 = 99
        static let connectTimeout: Int32 = 156
        static let protocols: Int32 = 181
        static let pipeWait: Int32 = 237
        static let suppressConnectHeaders: Int32 = 265
        static let maximumIdleAge: Int32 = 288
        static let quickExit: Int32 = 322

        static let writeData: Int32 = 10_001
        static let url: Int32 = 10_002
        static let proxy: Int32 = 10_004
        static let readData: Int32 = 10_009
        static let errorBuffer: Int32 = 10_010
        static let userAgent: Int32 = 10_018
        static let httpHeader: Int32 = 10_023
        static let sslCertificate: Int32 = 10_025
        static let keyPassword: Int32 = 10_026
        static let headerData: Int32 = 10_029
        static let customRequest: Int32 = 10_036
        static let caInfo: Int32 = 10_065
        static let caPath: Int32 = 10_097
        static let sslKey: Int32 = 10_087
        static let acceptEncoding: Int32 = 10_102
        static let share: Int32 = 10_100
        static let privateData: Int32 = 10_103
        static let cookieFile: Int32 = 10_031
        static let cookieList: Int32 = 10_135
        static let openSocketData: Int32 = 10_164
        static let seekData: Int32 = 10_168
        static let copyPostFields: Int32 = 10_165
        static let noProxy: Int32 = 10_177
        static let resolve: Int32 = 10_203
        static let closeSocketData: Int32 = 10_209
        static let dnsServers: Int32 = 10_211
        static let pinnedPublicKey: Int32 = 10_230
        static let unixSocketPath: Int32 = 10_231
        static let lookupData: Int32 = 10_273
        static let trailerData: Int32 = 10_284
        static let requestData: Int32 = 10_313

        static let writeFunction: Int32 = 20_011
        static let readFunction: Int32 = 20_012
        static let headerFunction: Int32 = 20_079
        static let openSocketFunction: Int32 = 20_163
        static let seekFunction: Int32 = 20_167
        static let closeSocketFunction: Int32 = 20_208
        static let lookupFunction: Int32 = 20_272
        static let trailerFunction: Int32 = 20_283
        static let requestFunction: Int32 = 20_312

        static let postFieldSize: Int32 = 30_120
    }

    enum CurlMultiOption {
        static let idleConnections: Int32 = 6
        static let connectionsPerHost: Int32 = 7
        static let connections: Int32 = 13
    }

    enum CurlShareOption {
        static let share: Int32 = 1
        static let cookies: Int32 = 2
        static let tlsSessions: Int32 = 4
    }

    enum CurlInfo {
        static let verifyResult: Int32 = 0x20_0000 + 13
        static let newConnections: Int32 = 0x20_0000 + 26
        static let privateData: Int32 = 0x10_0000 + 21
        static let contentLength: Int32 = 0x60_0000 + 15
        static let uploaded: Int32 = 0x60_0000 + 7
        static let totalTime: Int32 = 0x60_0000 + 50
        static let nameLookUpTime: Int32 = 0x60_0000 + 51
        static let connectTime: Int32 = 0x60_0000 + 52
        static let firstByteTime: Int32 = 0x60_0000 + 54
        static let tlsTime: Int32 = 0x60_0000 + 56
        /// Available since version 8.10.
        static let requestTime: Int32 = 0x60_0000 + 67
        static let address: Int32 = 0x10_0000 + 32
        static let port: Int32 = 0x20_0000 + 40
        static let httpVersion: Int32 = 0x20_0000 + 46
    }

    enum CurlSignal {
        static let pause = 0x1000_0001
        static let writeFailed: Int32 = 23
        static let badArgument: Int32 = 43
        static let readAbort = 0x1000_0000
        static let seekDone: Int32 = 0
        static let seekFailed: Int32 = 1
        static let requestAllowed: Int32 = 0
        static let requestAborted: Int32 = 1
        static let pauseReceiving: Int32 = 1
        static let pauseSending: Int32 = 4
        static let trailersAdded: Int32 = 0
        static let trailersFailed: Int32 = 1
        static let proceed: Int32 = 0
    }

    extension CurlLibrary {
        /// Compresses bytes with gzip (RFC 1952). Returns `nil` if that isn't possible, for example without zlib.
        package static func gzip(_ data: Data) -> Data? {
            var count = 0
            let bytes = data.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.flatMap { swallow_gzip($0, bytes.count, &count) }
            }
            return bytes.map { Data(bytesNoCopy: $0, count: count, deallocator: .free) }
        }
    }
#endif
