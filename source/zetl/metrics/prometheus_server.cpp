#include "metrics/prometheus_server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "text/usage_error.h"

namespace zetl::command {
// The part of libmicrohttpd's stable interface (microhttpd.h) that is used.
using Handler = int (*)(void* user, void* connection, const char* url, const char* method, const char* version,
                        const char* upload, std::size_t* uploadBytes, void** request);
struct HttpCalls {
    void* (*start)(unsigned flags, std::uint16_t port, void* policy, void* policyUser, Handler handler, void* user,
                   ...) = nullptr;
    void (*stop)(void* daemon) = nullptr;
    void* (*response)(std::size_t size, void* bytes, int mode) = nullptr;
    int (*header)(void* response, const char* name, const char* value) = nullptr;
    int (*queue)(void* connection, unsigned status, void* response) = nullptr;
    void (*release)(void* response) = nullptr;
};

namespace {

constexpr const char* kHttpLibrary = "libmicrohttpd.so.12";
constexpr unsigned kOwnThread = 65536 | 8;  // MHD_USE_AUTO_INTERNAL_THREAD
constexpr int kEndOfOptions = 0;
constexpr int kMemoryOfConnection = 1;
constexpr int kMostConnections = 2;
constexpr int kTimeoutOfConnection = 3;
constexpr int kListenSocket = 12;
constexpr int kNo = 0;
constexpr int kCopyBytes = 2;

template <class F>
void look(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw UsageError(fmt::format("--prometheus: {} lacks {}", kHttpLibrary, name));
}

/// The library stays open until the process ends.
HttpCalls httpCalls() {
    void* library = dlopen(kHttpLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw UsageError(
            fmt::format("--prometheus: libmicrohttpd is not installed ({}); on Debian, type: apt install "
                        "libmicrohttpd12",
                        dlerror()));
    HttpCalls calls;
    look(library, "MHD_start_daemon", calls.start);
    look(library, "MHD_stop_daemon", calls.stop);
    look(library, "MHD_create_response_from_buffer", calls.response);
    look(library, "MHD_add_response_header", calls.header);
    look(library, "MHD_queue_response", calls.queue);
    look(library, "MHD_destroy_response", calls.release);
    return calls;
}

struct ListenPlace {
    std::string host = "127.0.0.1";
    std::string port;
};

ListenPlace placeFrom(const std::string& text) {
    ListenPlace place;
    const auto colon = text.rfind(':');
    place.port = colon == std::string::npos ? text : text.substr(colon + 1);
    if (colon != std::string::npos) place.host = text.substr(0, colon);
    if (place.host.starts_with('[') && place.host.ends_with(']'))
        place.host = place.host.substr(1, place.host.size() - 2);
    std::uint16_t port = 0;
    const char* end = place.port.data() + place.port.size();
    const auto [stop, failure] = std::from_chars(place.port.data(), end, port);
    if (failure != std::errc() || stop != end || place.port.empty() || place.host.empty())
        throw UsageError(fmt::format(
            "--prometheus {}: not a port; write 9400, or 0.0.0.0:9400 to let other hosts read the counters", text));
    return place;
}

struct FreeAddresses {
    void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

std::unique_ptr<addrinfo, FreeAddresses> addressOf(const ListenPlace& place, const std::string& text) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found) != 0)
        throw UsageError(fmt::format("--prometheus {}: {} is not a numeric address; write 127.0.0.1:9400 or [::1]:9400",
                                     text, place.host));
    return std::unique_ptr<addrinfo, FreeAddresses>(found);
}

}  // namespace

PrometheusSocket::PrometheusSocket(const std::string& place) {
    httpCalls();
    const auto address = addressOf(placeFrom(place), place);
    const int on = 1;
    descriptor_ = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor_ >= 0 && setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(descriptor_, address->ai_addr, address->ai_addrlen) == 0 && listen(descriptor_, SOMAXCONN) == 0)
        return;
    const int failure = errno;
    if (descriptor_ >= 0) close(descriptor_);
    throw UsageError(fmt::format(
        "--prometheus {}: {}; {}", place, std::strerror(failure),
        failure == EADDRINUSE ? "choose another port, or 0 for any free one" : "choose another address or port"));
}

PrometheusSocket::~PrometheusSocket() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::string PrometheusSocket::address() const {
    sockaddr_storage bound{};
    socklen_t bytes = sizeof bound;
    char host[NI_MAXHOST] = {};
    char port[NI_MAXSERV] = {};
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0 ||
        getnameinfo(reinterpret_cast<sockaddr*>(&bound), bytes, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return "unknown";
    return std::strchr(host, ':') ? fmt::format("http://[{}]:{}/metrics", host, port)
                                  : fmt::format("http://{}:{}/metrics", host, port);
}

struct PrometheusServer::Service {
    HttpCalls calls;
    std::function<std::string()> text;
    void* daemon = nullptr;

    int answer(void* connection, unsigned status, const char* type, std::string body, const char* allowed) const {
        auto* response = calls.response(body.size(), body.data(), kCopyBytes);
        if (!response) return kNo;
        calls.header(response, "Content-Type", type);
        if (allowed) calls.header(response, "Allow", allowed);
        const int queued = calls.queue(connection, status, response);
        calls.release(response);
        return queued;
    }

    int handle(void* connection, std::string_view url, std::string_view method) const {
        constexpr const char* kPlain = "text/plain; charset=utf-8";
        if (method != "GET" && method != "HEAD")
            return answer(connection, 405, kPlain, "Only GET and HEAD are answered.\n", "GET, HEAD");
        if (url != "/metrics") return answer(connection, 404, kPlain, "The counters are at /metrics.\n", nullptr);
        return answer(connection, 200, "text/plain; version=0.0.4; charset=utf-8", text(), nullptr);
    }

    static int entry(void* user, void* connection, const char* url, const char* method, const char*, const char*,
                     std::size_t*, void**) noexcept try {
        return static_cast<const Service*>(user)->handle(connection, url, method);
    } catch (const std::exception&) {
        return kNo;  // closes the connection
    }
};

PrometheusServer::PrometheusServer(const PrometheusSocket& socket, std::function<std::string()> text)
    : service_(new Service{httpCalls(), std::move(text)}) {
    const int own = dup(socket.descriptor());  // which the library closes
    service_->daemon = own < 0 ? nullptr
                               : service_->calls.start(kOwnThread, 0, nullptr, nullptr, Service::entry, service_.get(),
                                                       kListenSocket, own, kMemoryOfConnection, std::size_t(16 * 1024),
                                                       kMostConnections, 32u, kTimeoutOfConnection, 10u, kEndOfOptions);
    if (service_->daemon) return;
    if (own >= 0) close(own);
    throw std::runtime_error("--prometheus: libmicrohttpd could not start its thread");
}

PrometheusServer::~PrometheusServer() { service_->calls.stop(service_->daemon); }

}  // namespace zetl::command
