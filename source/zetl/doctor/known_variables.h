// The environment variables that Level Zero and this project read, and which values they understand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/installation.h"

namespace zetl::command {

/// The kind of value that a variable takes.
enum class ValueKind {
    any,
    onOff,
    debugging,
    oneOf,
    number,
    timingModel,
    library,
    program,
    file,
    log,
    device,
    compiler
};

struct KnownVariable {
    std::string name;
    ValueKind kind = ValueKind::any;
    std::vector<std::string_view> choices = {};  // for oneOf
};

/// All of them: Level Zero's, those of docs/reference/settings.md, and those of the source tree's own scripts.
std::span<const KnownVariable> knownVariables();

/// What is wrong with a variable's value; empty if it is valid. May try it in child processes.
std::string objection(const KnownVariable& variable, const std::string& value, const Installation& installation);

}  // namespace zetl::command
