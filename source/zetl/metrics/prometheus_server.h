/// @file
/// Lets Prometheus read counters while a program runs, by libmicrohttpd, which is opened at run time.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace zetl::command {

/// A socket that listens, before anybody answers there.
class PrometheusSocket {
  public:
    /// `place`: "9400", "0.0.0.0:9400", "[::1]:9400"; without an address only this host reaches it, and port 0 is any
    /// free one. Throws UsageError if it is no such place, the port is in use, or libmicrohttpd is missing.
    explicit PrometheusSocket(const std::string& place);
    ~PrometheusSocket();
    PrometheusSocket(const PrometheusSocket&) = delete;
    PrometheusSocket& operator=(const PrometheusSocket&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    /// "http://127.0.0.1:9400/metrics"
    std::string address() const;

  private:
    int descriptor_ = -1;
};

/// Answers GET /metrics on the socket from a thread of its own, until it is destroyed. Bounded: 32 connections at once,
/// 16 KB of memory and 10 s for each.
class PrometheusServer {
  public:
    /// `text` is called from that thread. Throws std::runtime_error if the library refuses.
    PrometheusServer(const PrometheusSocket& socket, std::function<std::string()> text);
    ~PrometheusServer();
    PrometheusServer(const PrometheusServer&) = delete;
    PrometheusServer& operator=(const PrometheusServer&) = delete;

  private:
    struct Service;
    std::unique_ptr<Service> service_;
};

}  // namespace zetl::command
