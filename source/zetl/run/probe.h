// Trying things that may crash, hang or change the process, in a child.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/environment.h"

namespace zetl::command {

struct ProbeResult {
    bool finished = false;  // the body returned; otherwise see how
    std::string how;        // "killed by signal 11 (Segmentation fault)", "did not end within 20 s"
    std::string text;       // what the body returned
};

/// Runs the body in a forked child whose environment has the variables added. The child may load and break anything.
ProbeResult probe(const Variables& variables, const std::function<std::string()>& body);

/// Opens a library as the loader would and says which file that is; empty `path` and a reason if it cannot be opened.
struct OpenedLibrary {
    std::string path;
    std::string reason;
};
OpenedLibrary openLibrary(const std::string& name);

/// What zeInit says in the given environment, without the variables in `unset`, and what there is then.
struct LevelZeroState {
    bool loaded = false;  // there is a loader
    std::string failure;  // it crashed or hung: how
    std::uint64_t result = 0;
    std::string loaderVersion;
    std::vector<std::string> devices;
};
LevelZeroState initialise(const Variables& variables, const std::vector<const char*>& unset = {});

}  // namespace zetl::command
