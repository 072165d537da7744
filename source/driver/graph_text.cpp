#include "driver/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "driver/chain.h"
#include "driver/recorded_graph.h"

namespace zetl::driver {
namespace {

// ze_record_replay_graph_ext_dump_desc_t and its predecessor of Intel's driver.
constexpr std::uint32_t kDumpDescription = 0x00020048;
constexpr std::uint32_t kDumpDescriptionExp = 0x00030031;
struct DumpDescription {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint32_t mode;
};
/// The modes of the specification, then those that Intel's driver adds, whose events are nodes of their own.
constexpr GraphTextStyle kDumpStyles[] = {
    {.detailed = true}, {}, {.detailed = true, .eventNodes = true}, {.eventNodes = true}};

/// A text within the quotes of Graphviz. (std::quoted would be found for strings.)
std::string escaped(std::string_view text) {
    std::string out;
    for (const char each : text) {
        if (each == '"' || each == '\\') out += '\\';
        out += each;
    }
    return out;
}

std::string label(const GraphPicture::Command& command, const GraphTextStyle& style) {
    std::string text = escaped(command.function);
    if (!style.detailed) return text;
    for (const auto& [name, value] : command.details) text += fmt::format("\\n{}: {}", name, escaped(value));
    for (const void* event : command.waits) text += fmt::format("\\nwaits for {}", event);
    if (command.signal) text += fmt::format("\\nsignals {}", command.signal);
    return text;
}

/// The text of one graph.
class GraphTextWriter {
  public:
    GraphTextWriter(const GraphPicture& picture, const GraphTextStyle& style) : picture_(picture), style_(style) {}

    std::string text() {
        text_ = "digraph \"graph\" {\n  node [shape=box];\n";
        for (std::size_t branch = 0; branch < picture_.branches.size(); ++branch) addBranch(branch);
        for (std::size_t branch = 1; branch < picture_.branches.size(); ++branch) addForkAndJoin(branch);
        if (style_.eventNodes) addEvents();
        return text_ + "}\n";
    }

  private:
    using Command = GraphPicture::Command;

    template <class... A>
    void line(fmt::format_string<A...> format, A&&... arguments) {
        text_ += fmt::format(format, std::forward<A>(arguments)...) + '\n';
    }

    std::size_t level(std::size_t branch) const {
        std::size_t level = 0;
        for (; picture_.branches[branch].parent; branch = *picture_.branches[branch].parent) ++level;
        return level;
    }

    void addBranch(std::size_t branch) {
        if (branch > 0) {
            line("  subgraph cluster_{} {{", branch);
            line("    label=\"Subgraph {}-{}\";", level(branch), branch);
        }
        const Command* former = nullptr;
        for (const Command& command : picture_.commands) {
            if (command.branch != branch) continue;
            line("    {} [label=\"{}\"];", node(command), label(command, style_));
            if (former) line("    {} -> {};", node(*former), node(command));
            former = &command;
        }
        if (branch > 0) line("  }}");
    }

    void addForkAndJoin(std::size_t branch) {
        const GraphPicture::Branch& fork = picture_.branches[branch];
        const auto first = std::ranges::find(picture_.commands, branch, &Command::branch);
        if (first == picture_.commands.end()) return;
        const std::string from = node(picture_.commands[fork.forkSignal]);
        if (fork.joinSignal) {
            line("  {} -> {};", from, node(*first));
            line("  {} -> {};", node(picture_.commands[*fork.joinSignal]), node(picture_.commands[fork.joinWait]));
        } else {
            line("  {} -> {} [color=red, label=\"unjoined fork\"];", from, node(*first));
        }
    }

    void addEvents() {
        for (const Command& command : picture_.commands) {
            for (const void* event : command.waits) line("  {} -> {} [style=dashed];", eventNode(event), node(command));
            if (command.signal) line("  {} -> {} [style=dashed];", node(command), eventNode(command.signal));
        }
        for (const auto& [event, name] : events_) line("  {} [shape=ellipse, label=\"event {}\"];", name, event);
    }

    std::string node(const Command& command) const {
        return fmt::format("command_{}", &command - picture_.commands.data());
    }
    std::string eventNode(const void* event) {
        return events_.try_emplace(event, fmt::format("event_{}", events_.size())).first->second;
    }

    const GraphPicture& picture_;
    const GraphTextStyle style_;
    std::string text_;
    std::map<const void*, std::string> events_;
};

}  // namespace

std::string graphText(const GraphPicture& picture, const GraphTextStyle& style) {
    return GraphTextWriter(picture, style).text();
}

Result<GraphTextStyle> graphTextStyle(const void* parameters) {
    if (!parameters) return kDumpStyles[0];
    const auto* link = linkAt(parameters, chainReader());
    const auto type = link ? static_cast<std::uint32_t>(link->stype) : 0;
    if (type != kDumpDescription && type != kDumpDescriptionExp)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "chained parameter of type {:#x} is not known", type);
    const std::uint32_t mode = reinterpret_cast<const DumpDescription*>(link)->mode;
    if (mode < std::size(kDumpStyles)) return kDumpStyles[mode];
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no dump mode {}", mode);
}

Status writeGraphText(const char* path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    file.flush();
    if (file) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} cannot be written: {}", path, std::strerror(errno));
}

Status refuseGraphParameters(const void* parameters) {
    if (!parameters) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "pNext must be null: graphs have no options");
}

std::uint64_t nextGraphId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace zetl::driver
