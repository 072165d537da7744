// Another process under a debugger's eyes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace zetl::test {

/// A process that runs a scenario of this program with program debugging on; line by line over its standard streams.
/// Killed at the end, if it still lives.
class DebuggedChild {
  public:
    explicit DebuggedChild(const char* scenario);
    ~DebuggedChild();
    DebuggedChild(const DebuggedChild&) = delete;
    DebuggedChild& operator=(const DebuggedChild&) = delete;

    std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
    void tell(const std::string& line) const;
    /// The rest of the next line that begins with `word`.
    std::string expect(const std::string& word) const;
    /// Its exit code; -1 if a signal ended it.
    int wait();

  private:
    pid_t pid_ = 0;
    int in_ = -1;
    FILE* out_ = nullptr;
};

/// The other side of it.
void say(const std::string& line);
void awaitWord(const std::string& word);

}  // namespace zetl::test
