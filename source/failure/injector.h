// Decides, call by call, what goes wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "failure/memory_limit.h"
#include "failure/rule.h"

namespace zetl::failure {

/// What becomes of a call.
struct Verdict {
    bool made = true;            ///< it is made; otherwise it returns `code`
    std::uint32_t code = 0;      ///< a ze_result_t
    bool losesDevice = false;    ///< after it
    std::uint64_t reserved = 0;  ///< bytes that it may allocate, or that it frees
};

/// Counts the calls that its rules name. All functions may be called from any thread. A forked child goes on from its
/// parent's counts. `arguments` are the addresses of the call's arguments.
class Injector {
  public:
    explicit Injector(std::vector<Rule> rules);

    /// Whether calls of the function have to pass before() and after().
    bool watches(ddi::Function function) const noexcept { return watched_.test(ddi::index(function)); }

    /// Logs what fails. Waits as long as a rule says, for `hang` without end.
    Verdict before(ddi::Function function, void* const* arguments) noexcept;
    /// For calls that were made.
    void after(ddi::Function function, void* const* arguments, const Verdict& verdict, std::uint32_t result) noexcept;

    MemoryInUse& memory() noexcept { return memory_; }

  private:
    void apply(const Rule& rule, std::uint64_t number, ddi::Function function, Verdict& verdict) noexcept;
    void refuse(const Rule& rule, std::uint64_t number, ddi::Function function, std::uint32_t code,
                Verdict& verdict) noexcept;

    std::vector<Rule> rules_;
    std::vector<std::atomic<std::uint64_t>> calls_;  // by rule
    Functions watched_;
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // of memory
    MemoryInUse memory_;
    std::atomic<bool> lost_{false};
    std::atomic<std::uint64_t> threads_{0};
};

}  // namespace zetl::failure
