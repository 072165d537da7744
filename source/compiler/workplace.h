// The compiler's working directory. It is not the application's, into which the compiler would write listings of failed
// builds.
#pragma once

#include <filesystem>

#include "compiler/command.h"

namespace zetl::compiler {

/// An empty directory below the one for temporary files; removed with all its content. There is none if a variable may
/// name a file relative to the application's directory (a relative entry of LD_LIBRARY_PATH, or any variable that a
/// developer sets for the compiler), or if none can be made: the compiler then works in the application's directory.
class Workplace {
  public:
    /// A library name relative to the application's directory becomes an absolute one.
    explicit Workplace(Command& command);
    ~Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    void enter() const noexcept;

  private:
    std::filesystem::path path_;
};

}  // namespace zetl::compiler
