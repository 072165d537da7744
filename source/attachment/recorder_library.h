// The recorder (libzetl_trace.so), which is loaded when somebody first wants a recording of this process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zetl::attachment {

/// The recorder's functions. It is the one beside the layer: a path in a message would let others load code.
class RecorderLibrary {
  public:
    /// Loads it. Returns the reason and the remedy if it cannot be loaded; empty: it is there.
    std::string load();

    /// Starts a recording with these settings: NAME=VALUE, 0, ... Returns why not, or nothing.
    std::string begin(std::string_view settings) const;
    /// No call that begins from now on is recorded.
    void end() const noexcept;
    /// Takes the tracers away. Waits until the calls in progress have returned.
    void release() const noexcept;

  private:
    const char* (*begin_)(const char* settings, std::size_t bytes) = nullptr;
    void (*end_)() = nullptr;
    void (*release_)() = nullptr;
};

}  // namespace zetl::attachment
