// The environment variables that bring the layer, the emulated GPU and the recorder into a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/installation.h"

namespace zetl::command {

struct Variable {
    std::string name;
    std::string value;
    bool isPath = false;  // a search path: put in front of the existing value
};

using Variables = std::vector<Variable>;

/// The devices that the program gets, and the switches of the Tools API that are on.
struct Choice {
    bool emulated = false;
    std::string profile;   // of the emulated device; empty: its default
    std::string compiler;  // for it: "system", "newest" or a directory; empty: the newest, unless the environment says
    std::string
        schedule;  // the order of groups and threads there: first, last or a seed; empty: as the environment says
    std::string failures;  // value of ZETL_FAIL; empty: as the environment says
    bool layer = true;     // false: only the driver's own zet tables
    bool metrics = false;  // ZET_ENABLE_METRICS, and so on
    bool instrumentation = false;
    bool debugging = false;
};

/// The variables for a choice. On the emulated GPU, metrics and instrumentation are on unless the environment has a
/// value for them; debugging is not, because it lets other processes attach. Faults of kernels on the emulated GPU are
/// printed on standard error unless ZETL_LOG is set. Throws std::runtime_error if the loader could not read one of the
/// paths.
Variables variablesFor(const Installation& installation, const Choice& choice);

/// Additional variables to record the program's calls into a directory.
struct RecordingOptions;
Variables recordingVariables(const Installation& installation, const std::string& directory,
                             const RecordingOptions& options);

/// Additional variables to keep the native binaries of the program's modules in a directory.
Variables binaryVariables(const Installation& installation, const std::string& directory);

/// Additional variables to measure the program's kernels: the file for the results, and the metric group.
Variables queryingVariables(const Installation& installation, const std::string& file, const std::string& group,
                            bool perLaunch);

/// Additional variables to sample the program's instructions into a directory, once per period (nanoseconds).
Variables stallsVariables(const Installation& installation, const std::string& directory,
                          std::optional<std::uint32_t> period);

/// Level Zero's rule for boolean variables: exactly "1" is on.
bool isOn(const char* variable);

/// Sets the variables in this process, for the program that it becomes or starts.
void apply(const Variables& variables);

/// The environment of this process at one time.
class SavedEnvironment {
  public:
    SavedEnvironment();
    /// For the program that it becomes next.
    void restore() const;

  private:
    std::vector<std::string> entries_;
};

/// The variables as lines for a POSIX shell.
std::string exports(const Variables& variables);

}  // namespace zetl::command
