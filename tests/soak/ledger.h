// What a soak run expects of every call, and what it counts.
#pragma once

#include <level_zero/ze_api.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace zetl::soak {

/// A call failed, or a result is wrong. Ends the episode.
class Failure : public std::runtime_error {
  public:
    Failure(const std::string& text, ze_result_t code) : std::runtime_error(text), code_(code) {}
    ze_result_t code() const noexcept { return code_; }

  private:
    ze_result_t code_;
};

/// Counts of the process. Thread-safe.
struct Ledger {
    std::atomic<std::uint64_t> episodes{0};
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> launches{0};
    std::atomic<std::uint64_t> refusals{0};  // of calls that a shortage explains
};
Ledger& ledger();

/// Counts the call. Throws a Failure that names it unless it succeeded.
void check(ze_result_t result, const char* call);

/// Throws a Failure unless the value is the expected one.
void checkValue(std::uint64_t value, std::uint64_t expected, const std::string& what);

/// True if the host or the device may answer so when memory, threads, descriptors or room on disk are short.
bool isShortage(ze_result_t result) noexcept;

/// A call that must succeed; its first argument list is the C function's.
#define SOAK_CALL(call) ::zetl::soak::check(call, #call)

}  // namespace zetl::soak
