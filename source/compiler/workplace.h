// Where the compiler works: not in the application's directory, into which it would write listings of builds that
// failed.
#pragma once

#include <filesystem>

#include "compiler/command.h"

namespace zetl::compiler {

/// An empty directory below that for temporary files, removed with all that is in it. There is none where a variable
/// may name something from the application's directory (a relative entry of LD_LIBRARY_PATH, or any that a developer
/// sets for the compiler), nor where none can be made: the compiler then works where the application does.
class Workplace {
  public:
    /// A library named from the application's directory is named from the root afterwards.
    explicit Workplace(Command& command);
    ~Workplace();
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    void enter() const noexcept;

  private:
    std::filesystem::path path_;
};

}  // namespace zetl::compiler
