// The environment variables that bring the layer, the emulated GPU and the recorder into a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "installation.h"

namespace zetl::command {

struct Variable {
    std::string name;
    std::string value;
    bool isPath = false;  // a search path: goes in front of what is there
};

using Variables = std::vector<Variable>;

/// Which devices the program gets, and which of the Tools API's switches are on.
struct Choice {
    bool emulated = false;
    std::string profile;   // of the emulated device; empty: its default
    bool layer = true;     // false: only the driver's own zet tables
    bool metrics = false;  // ZET_ENABLE_METRICS, and so on
    bool instrumentation = false;
    bool debugging = false;
};

/// Variables for a choice. A switch that is not asked for is on if the emulated GPU is wanted, this process's
/// environment has no value for it, and it is not debugging, which lets other processes in. Likewise the emulated GPU
/// says on standard error what its kernels' faults were, unless ZETL_LOG says otherwise. Throws std::runtime_error
/// if the loader could not read one of the paths.
Variables variablesFor(const Installation& installation, const Choice& choice);

/// In addition, when the program's calls are recorded into a directory.
struct RecordingOptions;
Variables recordingVariables(const Installation& installation, const std::string& directory,
                             const RecordingOptions& options);

/// In addition, when native binaries of the program's modules are kept in a directory.
Variables binaryVariables(const Installation& installation, const std::string& directory);

/// In addition, when the program's kernels are measured: where what was counted goes, and by which group.
Variables queryingVariables(const Installation& installation, const std::string& file, const std::string& group);

/// In addition, when the program's instructions are sampled into a directory, once a period (nanoseconds).
Variables stallsVariables(const Installation& installation, const std::string& directory,
                          std::optional<std::uint32_t> period);

/// Level Zero's rule for boolean variables: exactly "1" is on.
bool isOn(const char* variable);

/// Sets them in this process, for the program that it will become.
void apply(const Variables& variables);

/// As lines for a POSIX shell.
std::string exports(const Variables& variables);

}  // namespace zetl::command
