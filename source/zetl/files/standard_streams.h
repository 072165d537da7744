// Standard input, output and error of zetl itself, in whatever state they are given.
#pragma once

#include <exception>

namespace zetl::command {

/// At the beginning of main(): descriptors 0 to 2 that are closed are taken, so that no file of ours becomes one of
/// them, and a reader that goes away is an error of the write and not the end of the process, which has directories to
/// remove. Programs that zetl starts find both as they were.
void prepareStandardStreams() noexcept;

/// At its end: writes what standard output still holds. `code`, or, if that is 0 and not all of it could be written, 1
/// after a line on standard error; where the reader is gone, what a shell says of SIGPIPE, and no line.
int finishStandardOutput(int code) noexcept;

/// The output's reader went away (EPIPE). Nobody needs to be told.
bool isReaderGone(const std::exception& failure) noexcept;

/// What a shell says of a program that SIGPIPE ended.
inline constexpr int kReaderGone = 128 + 13;

}  // namespace zetl::command
