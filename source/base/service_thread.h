// A thread of our own inside the host's process, started without exceptions.
#pragma once

#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/log.h"

namespace zetl {

/// A thread that receives no signals of the host. It has a stack of kStackBytes under any limit that the host sets, and
/// a name that debuggers and top show. Join or detach it before it is destroyed. Movable; not thread-safe.
class ServiceThread {
  public:
    static constexpr std::size_t kStackBytes = 4 << 20;  ///< touched pages alone use memory

    /// Calls the function on a new thread. If the system gives no thread or no memory, logs the reason and the remedy,
    /// and returns nothing. `name` is a literal of at most 15 characters. The function should not throw: its exceptions
    /// are logged, and the thread ends.
    template <class F>
    static std::optional<ServiceThread> start(log::Channel channel, const char* name, F&& function) noexcept {
        using Function = std::decay_t<F>;
        static_assert(std::is_nothrow_constructible_v<Function, F>);
        return launch(
            std::unique_ptr<Body>(new (std::nothrow) BodyOf<Function>(channel, name, std::forward<F>(function))),
            channel, name);
    }

    ServiceThread() = default;
    ServiceThread(ServiceThread&& other) noexcept : thread_(std::exchange(other.thread_, std::nullopt)) {}
    ServiceThread& operator=(ServiceThread&& other) noexcept {
        std::swap(thread_, other.thread_);
        return *this;
    }
    ~ServiceThread() { assert(!thread_); }

    bool joinable() const noexcept { return thread_.has_value(); }
    void join() noexcept { pthread_join(*std::exchange(thread_, std::nullopt), nullptr); }
    void detach() noexcept { pthread_detach(*std::exchange(thread_, std::nullopt)); }

  private:
    struct Body {
        Body(log::Channel given, const char* called) noexcept : channel(given), name(called) {}
        virtual ~Body() = default;
        virtual void run() = 0;
        const log::Channel channel;
        const char* const name;
    };
    template <class F>
    struct BodyOf final : Body {
        template <class G>
        BodyOf(log::Channel given, const char* called, G&& work) noexcept
            : Body(given, called), function(std::forward<G>(work)) {}
        void run() override { function(); }
        F function;
    };

    explicit ServiceThread(pthread_t thread) noexcept : thread_(thread) {}
    static std::optional<ServiceThread> launch(std::unique_ptr<Body> body, log::Channel channel,
                                               const char* name) noexcept;
    static void* enter(void* body) noexcept;

    std::optional<pthread_t> thread_;
};

}  // namespace zetl
