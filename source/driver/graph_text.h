// A recorded graph as a text for Graphviz.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace zetl::driver {

/// What a command does, as names and values for a person.
using GraphDetails = std::vector<std::pair<const char*, std::string>>;

/// A record (graph_record.h) without the driver's classes: events and commands are told apart by addresses and places.
struct GraphPicture {
    struct Branch {
        std::optional<std::size_t> parent;
        std::size_t forkSignal;
        std::optional<std::size_t> joinSignal;
        std::size_t joinWait;
    };
    struct Command {
        std::size_t branch;
        const char* function;
        GraphDetails details;
        std::vector<const void*> waits;
        const void* signal;
    };
    std::vector<Branch> branches;
    std::vector<Command> commands;
};

struct GraphTextStyle {
    bool detailed = false;    ///< commands with what they do
    bool eventNodes = false;  ///< events as nodes between the command that signals and those that wait
};

/// The style that the parameters of zeGraphDumpContentsExt ask for. UNSUPPORTED_FEATURE for unknown parameters,
/// INVALID_ARGUMENT for an unknown mode.
Result<GraphTextStyle> graphTextStyle(const void* parameters);

/// One box per command, joined in the order of recording; one cluster per list that forked; edges for forks and joins,
/// red for a fork that nothing joins.
std::string graphText(const GraphPicture& picture, const GraphTextStyle& style);

/// INVALID_ARGUMENT if the file cannot be written.
Status writeGraphText(const char* path, const std::string& text);

}  // namespace zetl::driver
