// Output of the prompt in pages of a terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace zetl::debugger {

struct TerminalSize {
    std::size_t rows = 0;  ///< 0: output is not stopped
    std::size_t columns = 0;
};

/// Of standard output; nothing is known of what is no terminal.
TerminalSize terminalSize();

/// Stops the output of a command when the terminal is full, and asks whether to go on. What the user gives up is not
/// shown: the command works to its end.
class Pager {
  public:
    /// `answer` asks the question and returns what is typed, without the end of the line; "q" at the end of the input.
    Pager(std::function<void(std::string_view)> write, std::function<std::string(const char* question)> answer)
        : write_(std::move(write)), answer_(std::move(answer)) {}

    /// A command begins.
    void begin(TerminalSize size);
    /// Outside of begin() and end(), all is shown at once.
    void end() noexcept { size_ = {}; }
    void write(std::string_view text);

  private:
    void line(std::string_view text);
    void ask();

    const std::function<void(std::string_view)> write_;
    const std::function<std::string(const char*)> answer_;
    TerminalSize size_{};
    std::size_t column_ = 0;
    std::size_t row_ = 0;
    bool gaveUp_ = false;
};

}  // namespace zetl::debugger
