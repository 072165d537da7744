// The terminal, or what else a command writes to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace zetl::command {

/// How to write to a file descriptor.
struct Terminal {
    static constexpr std::size_t kNarrowest = 80;   ///< what every table fits
    static constexpr std::size_t kElsewhere = 120;  ///< in a file or a pipe

    std::size_t width = kElsewhere;  ///< in characters, at least kNarrowest
    bool colours = false;            ///< it is a terminal, and neither NO_COLOR nor TERM=dumb forbids them
    bool blocks = false;             ///< its encoding is UTF-8: bars are drawn with block elements

    /// Of a descriptor, by ioctl_tty(2) and the environment. COLUMNS has the last word on the width.
    static Terminal of(int descriptor);
};

/// The number of characters of UTF-8; a damaged sequence counts as one per byte.
std::size_t lengthOf(const std::string& text);
/// The text, or its two ends with an ellipsis between them, in at most `most` characters; `most` is 1 or more.
std::string cutInMiddle(const std::string& text, std::size_t most);
/// The text, or its beginning with an ellipsis behind it, in at most `most` characters; `most` is 1 or more.
std::string cutAtEnd(const std::string& text, std::size_t most);
/// The words of the text in as many lines as they need, at least one; a word that is longer than a line is divided.
std::vector<std::string> inLines(const std::string& text, std::size_t width);
/// The text, filled with spaces up to so many characters.
std::string padded(std::string text, std::size_t width);
/// A bar as long as `share`, from 0 to 1, of `width` characters, filled with spaces up to all of them. A share above 0
/// is never empty where block elements can be drawn.
std::string bar(double share, std::size_t width, const Terminal& terminal);

}  // namespace zetl::command
