#include "console/pager.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace zetl::debugger {
namespace {

constexpr const char* kQuestion = "--Type <RET> for more, q to quit, c to continue without paging--";

}  // namespace

TerminalSize terminalSize() {
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
    return {size.ws_row, size.ws_col};
}

void Pager::begin(TerminalSize size) {
    size_ = size;
    row_ = column_ = 0;
    gaveUp_ = false;
}

void Pager::write(std::string_view text) {
    while (!text.empty() && !gaveUp_) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        line(text.substr(0, end));
        text.remove_prefix(end);
    }
}

/// At most one line, which may have begun before.
void Pager::line(std::string_view text) {
    constexpr std::size_t kFewest = 2;  // of which the question takes one
    if (size_.rows < kFewest) return write_(text);
    if (row_ + 1 >= size_.rows && column_ == 0) ask();
    if (gaveUp_) return;
    write_(text);
    column_ += text.size();
    if (text.back() != '\n') return;
    row_ += size_.columns == 0 ? 1 : std::max<std::size_t>(1, (column_ - 1 + size_.columns - 1) / size_.columns);
    column_ = 0;
}

void Pager::ask() {
    const auto answer = answer_(kQuestion);
    row_ = 0;
    if (answer.starts_with('q')) {
        gaveUp_ = true;
        write_("Quit\n");
    }
    if (answer.starts_with('c')) size_ = {};
}

}  // namespace zetl::debugger
