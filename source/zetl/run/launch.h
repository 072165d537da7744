// Starts the program that zetl was given.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "files/output_file.h"

namespace zetl::command {

// as shells have them
inline constexpr int kNotExecutable = 126;
inline constexpr int kNoSuchProgram = 127;

/// Whether no further run of a program makes sense that ended with this: it could not be started, or the user ended it.
bool endsAllRuns(int code) noexcept;

/// Becomes the program. Returns only if that fails: kNoSuchProgram, or kNotExecutable if it cannot be started, with a
/// line on standard error.
int become(const std::vector<std::string>& program);

/// Where the program's standard output goes.
enum class ProgramOutput { standardOutput, standardError /* standard output is for zetl's own */ };

/// The same for a program whose process calls `prepare` before it becomes the program.
int runToEnd(const std::vector<std::string>& program, const std::function<void()>& prepare);

/// The same in a process group of its own, which is killed after that time: then nothing is returned. Signals sent to
/// zetl from the terminal or elsewhere are passed on to the group.
std::optional<int> runWithin(std::chrono::seconds limit, const std::vector<std::string>& program,
                             const std::function<void()>& prepare);

/// The program keeps standard output unless an output goes there.
ProgramOutput besides(const OutputFile& table);
ProgramOutput besides(bool taken);
ProgramOutput besides(const std::vector<const OutputFile*>& outputs);

/// In a child: standard input is empty, and both outputs go to this file. What cannot be opened is left as it is: the
/// run then shows more on the terminal.
void capture(const std::string& file);

/// Runs the program to its end. SIGINT and SIGQUIT from the terminal are the program's business meanwhile; SIGTERM and
/// SIGHUP sent to zetl are passed on. Returns what a shell would: the exit code, or 128 plus the signal.
int runToEnd(const std::vector<std::string>& program, ProgramOutput output = ProgramOutput::standardOutput);

}  // namespace zetl::command
