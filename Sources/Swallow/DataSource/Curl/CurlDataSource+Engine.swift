#if os(Linux) && canImport(Glibc)
    package import CurlEngine
    import Foundation
    import FoundationNetworking

    extension EngineConfiguration {
        init(_ configuration: CurlDataSource.Configuration) {
            self.init()
            connectTimeout = configuration.connectTimeout
            idleTimeout = configuration.idleTimeout
            connectionsPerHost = configuration.connectionsPerHost
            connections = configuration.connections
            httpVersions =
                switch configuration.httpVersions {
                case .http1: .http1
                case .http2: .http2
                case .http2PriorKnowledge: .http2PriorKnowledge
                }
            tls = TLS(configuration.tls)
            proxy =
                switch configuration.proxy {
                case .environment: nil
                case .url(let url): url
                case .none: ""
                }
            switch configuration.cookies {
            case .inMemory: break
            case .file(let url): cookieFile = url
            case .none: handlesCookies = false
            }
            cookiesNotSaved = configuration.cookiesNotSaved
            maximumResponseSize = configuration.maximumResponseSize ?? .max
            maximumHeadSize = configuration.maximumHeadSize
            maximumFieldCount = configuration.maximumFieldCount
            keepAliveTime = configuration.keepAliveTime
            dnsServers = configuration.dnsServers
            resolve = configuration.resolve
            unixSocketPath = configuration.unixSocketPath
            userAgent = configuration.userAgent
        }
    }

    extension EngineConfiguration.TLS {
        fileprivate init(_ tls: CurlDataSource.TLS) {
            self.init()
            verifiesCertificates = tls.verifiesCertificates
            certificateAuthorityFile = tls.certificateAuthorityFile
            clientCertificateFile = tls.clientCertificateFile
            clientKeyFile = tls.clientKeyFile
            clientKeyPassword = tls.clientKeyPassword
            requiresTLS13 = tls.minimumVersion == .tls13
            pins = TLSPins(tls.pins).digests
            logsKeys = tls.logsKeys
        }
    }

    extension CurlRequest {
        init(_ request: URLRequest, _ source: BodyPipe? = nil) throws(EngineFailure) {
            try self.init(
                url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
                fields: request.allHTTPHeaderFields ?? [:], body: request.httpBody, source: source,
                idleTimeout: request.timeoutInterval, handlesCookies: request.httpShouldHandleCookies)
        }
    }

    extension BodyPipe: EngineBodySource {
        package var isTunnel: Bool { body.isTunnel }

        package func startedOver() -> (any EngineBodySource)? { restarted() }
    }

    extension EngineHead {
        func response(from url: URL) -> HTTPURLResponse {
            let (version, fields) = content
            // Foundation accepts every status and every field.
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)!
        }
    }

    extension EngineFailure {
        func error(url: URL?) -> any Error {
            switch self {
            case .transport(let code, let text):
                var information: [String: Any] = [:]
                if let text { information[NSLocalizedDescriptionKey] = text }
                if let url { information[NSURLErrorFailingURLErrorKey] = url }
                return URLError(code, userInfo: information)
            case .invalidRequest(let detail): return ServiceError(.invalidRequest, detail: detail)
            case .noThread(let error):
                return ServiceError(
                    .transport(URLError(.resourceUnavailable)),
                    detail: "the system can't create a thread for the data source", underlying: error)
            case .other(let error): return error
            }
        }
    }

    extension TransferProgress {
        init(_ progress: EngineProgress) {
            self.init(
                sent: progress.sent, received: progress.received, expectedToSend: progress.expectedToSend,
                expectedToReceive: progress.expectedToReceive)
        }
    }

    extension TransferMetrics {
        init(_ report: EngineReport) {
            self.init(start: Date(timeIntervalSinceNow: -Double(report.age) / 1e9))
            func moment(_ microseconds: Int64) -> Duration? {
                microseconds > 0 ? .nanoseconds(report.waited) + .microseconds(microseconds) : nil
            }
            let times = report.times
            if !report.isReused, !report.address.isEmpty {
                domainLookupEnd = moment(times.nameLookup)
                connectEnd = moment(times.connection)
                secureConnectionEnd = moment(times.tls)
            }
            requestEnd = moment(times.request)
            responseStart = moment(times.firstByte)
            responseEnd = moment(times.lastByte)
            attempts = max(1, report.sendings)
            bytesSent = report.progress.sent
            bytesReceived = report.progress.received
            protocolName = report.protocolName
            if !report.address.isEmpty {
                let host = report.address.contains(":") ? "[\(report.address)]" : report.address
                remoteAddress = "\(host):\(report.port)"
                isConnectionReused = report.isReused
            }
        }
    }

    extension Headers {
        init(_ fields: [(name: String, value: String)]) {
            self.init()
            for (name, value) in fields { append(value, for: Name(name)) }
        }
    }

    extension CurlDataSource.Cookie {
        init(_ cookie: EngineCookie) {
            self.init(
                name: cookie.name, value: cookie.value, domain: cookie.domain,
                includesSubdomains: cookie.includesSubdomains, path: cookie.path, isSecure: cookie.isSecure,
                isHTTPOnly: cookie.isHTTPOnly, expires: cookie.expires)
        }

        var engineCookie: EngineCookie {
            EngineCookie(
                name: name, value: value, domain: domain, includesSubdomains: includesSubdomains, path: path,
                isSecure: isSecure, isHTTPOnly: isHTTPOnly, expires: expires)
        }
    }
#endif
