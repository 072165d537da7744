// The append that the calling thread is in, for objects that record calls to repeat or show them later.
#pragma once

#include <string_view>

namespace zetl::driver {

/// A call of an exported function, valid while it runs.
struct CurrentCall {
    const char* function = nullptr;   ///< null: the thread is in none that is kept
    const void* arguments = nullptr;  ///< std::tuple of the C function's parameter types, without const

    static CurrentCall& ofThread() noexcept {
        thread_local CurrentCall current;
        return current;
    }
};

/// True for functions whose calls are kept: those that append to command lists.
constexpr bool isKept(std::string_view function) noexcept {
    return function.starts_with("zeCommandListAppend") || function.starts_with("zexCommandListAppend");
}

/// Makes a call the thread's current one as long as it lives.
class CallScope {
  public:
    CallScope(const char* function, const void* arguments) noexcept : former_(CurrentCall::ofThread()) {
        CurrentCall::ofThread() = {function, arguments};
    }
    ~CallScope() { CurrentCall::ofThread() = former_; }
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

  private:
    const CurrentCall former_;
};

}  // namespace zetl::driver
