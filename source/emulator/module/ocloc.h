// libocloc's C interface, loaded at run time so that the driver works for native binaries without it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/module/kernel_image.h"
#include "emulator/module/outcome.h"

namespace zetl::emulator::module {

class Ocloc {
  public:
    /// The process's one instance, loaded on the first call that succeeds; compilerMissing names library and reason.
    static Outcome<const Ocloc*> load();

    struct Output {
        int code = 0;
        Bytes binary;     ///< output named kOutputName; empty on failure
        std::string log;  ///< what the compiler printed
    };
    static constexpr const char* kOutputName = "module";

    /// A source held in memory, by the name that the command line gives it.
    struct Source {
        std::string name;
        std::span<const std::uint8_t> bytes;
    };
    /// Runs one command line. Thread-safe.
    Output invoke(const std::vector<std::string>& arguments, std::span<const Source> sources) const;

  private:
    using Invoke = int (*)(unsigned, const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*,
                           const char**, std::uint32_t, const std::uint8_t**, const std::uint64_t*, const char**,
                           std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    using Free = int (*)(std::uint32_t*, std::uint8_t***, std::uint64_t**, char***);
    Invoke invoke_ = nullptr;
    Free free_ = nullptr;
};

}  // namespace zetl::emulator::module
