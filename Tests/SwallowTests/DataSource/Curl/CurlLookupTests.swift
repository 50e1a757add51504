#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    @Suite(
        "A slow name lookup", .serialized,
        .enabled(if: CurlDataSource.isAvailable && PreloadedLibrary.isAvailable, "cc makes a library"))
    struct CurlLookupTests {
        /// Delays the lookup of `slow.test`. With `-DOLD`, libcurl also behaves like version 7.68. It reports
        /// that version and rejects later options, so a removed transfer waits for its lookup.
        private static let library = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <netdb.h>
            #include <semaphore.h>
            #include <stdarg.h>
            #include <string.h>

            #define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

            static sem_t begun, ended;

            __attribute__((constructor)) static void begin(void) {
                sem_init(&begun, 0, 0);
                sem_init(&ended, 0, 0);
            }

            void wait_for_lookup(void) { sem_wait(&begun); }
            void end_lookups(void) { sem_post(&ended); }

            int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                            struct addrinfo **addresses) {
                if (name && strcmp(name, "slow.test") == 0) {
                    sem_post(&begun);
                    sem_wait(&ended);
                    sem_post(&ended);
                    name = "127.0.0.1";
                }
                return NEXT(getaddrinfo)(name, service, hints, addresses);
            }

            #ifdef OLD
            struct version {
                int age;
                const char *text;
                unsigned int number;
            };

            struct version *curl_version_info(int age) {
                struct version *version = NEXT(curl_version_info)(age);
                version->number = 0x074400;
                return version;
            }

            int curl_easy_setopt(void *easy, int option, ...) {
                va_list values;
                va_start(values, option);
                void *value = va_arg(values, void *);
                va_end(values);
                // CURLE_UNKNOWN_OPTION
                return option % 10000 < 290 ? NEXT(curl_easy_setopt)(easy, option, value) : 48;
            }
            #endif

            """

        @Test(
            "Other requests don't wait for the lookup of a request that has failed, and the lookup's end releases it",
            arguments: ["-DNEW", "-DOLD"], [[], ["suspended"], ["0.1"]])
        func failed(version: String, end: [String]) async throws {
            let library = try await PreloadedLibrary(Self.library, version)
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            let (output, status) = try await TransportProbe.run(
                ["lookup", "http://127.0.0.1:\(server.port)/other"] + end,
                environment: library.environment)
            #expect(output == "ok, ok")
            #expect(status == 0)
            // The first request isn't sent after its lookup.
            #expect(server.heads.values.map { $0.split(separator: " ")[1] } == ["/other", "/last"])
        }
    }
#endif
