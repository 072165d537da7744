#include "emulator/driver/execution/graph_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace zetl::emulator::driver {
namespace {

/// A text within the quotes of Graphviz. (std::quoted would be found for strings.)
std::string escaped(std::string_view text) {
    std::string out;
    for (const char each : text) {
        if (each == '"' || each == '\\') out += '\\';
        out += each;
    }
    return out;
}

std::string label(const GraphCommand& command, const GraphDumpStyle& style) {
    std::string text = escaped(command.function);
    if (!style.detailed) return text;
    if (command.command.operation)
        for (const auto& [name, value] : command.command.operation->details())
            text += fmt::format("\\n{}: {}", name, escaped(value));
    for (const auto& event : command.waits) text += fmt::format("\\nwaits for {}", fmt::ptr(event.get()));
    if (command.signal) text += fmt::format("\\nsignals {}", fmt::ptr(command.signal.get()));
    return text;
}

/// The text of one graph.
class Dump {
  public:
    Dump(const GraphRecord& record, const GraphDumpStyle& style) : record_(record), style_(style) {}

    std::string text() {
        text_ = "digraph \"graph\" {\n  node [shape=box];\n";
        for (std::size_t branch = 0; branch < record_.branches.size(); ++branch) addBranch(branch);
        for (std::size_t branch = 1; branch < record_.branches.size(); ++branch) addForkAndJoin(branch);
        if (style_.eventNodes) addEvents();
        return text_ + "}\n";
    }

  private:
    template <class... A>
    void line(fmt::format_string<A...> format, A&&... arguments) {
        text_ += fmt::format(format, std::forward<A>(arguments)...) + '\n';
    }

    std::size_t level(std::size_t branch) const {
        std::size_t level = 0;
        for (; record_.branches[branch].parent; branch = *record_.branches[branch].parent) ++level;
        return level;
    }

    void addBranch(std::size_t branch) {
        if (branch > 0) {
            line("  subgraph cluster_{} {{", branch);
            line("    label=\"Subgraph {}-{}\";", level(branch), branch);
        }
        const GraphCommand* former = nullptr;
        for (const GraphCommand& command : record_.commands) {
            if (command.branch != branch) continue;
            line("    {} [label=\"{}\"];", node(command), label(command, style_));
            if (former) line("    {} -> {};", node(*former), node(command));
            former = &command;
        }
        if (branch > 0) line("  }}");
    }

    void addForkAndJoin(std::size_t branch) {
        const GraphBranch& fork = record_.branches[branch];
        const auto first = std::ranges::find(record_.commands, branch, &GraphCommand::branch);
        if (first == record_.commands.end()) return;
        const std::string from = node(record_.commands[fork.forkSignal]);
        if (fork.joinSignal) {
            line("  {} -> {};", from, node(*first));
            line("  {} -> {};", node(record_.commands[*fork.joinSignal]), node(record_.commands[fork.joinWait]));
        } else {
            line("  {} -> {} [color=red, label=\"unjoined fork\"];", from, node(*first));
        }
    }

    void addEvents() {
        for (const GraphCommand& command : record_.commands) {
            for (const auto& event : command.waits) line("  {} -> {} [style=dashed];", node(*event), node(command));
            if (command.signal) line("  {} -> {} [style=dashed];", node(command), node(*command.signal));
        }
        for (const auto& [event, name] : events_)
            line("  {} [shape=ellipse, label=\"event {}\"];", name, fmt::ptr(event));
    }

    std::string node(const GraphCommand& command) const {
        return fmt::format("command_{}", &command - record_.commands.data());
    }
    std::string node(const Event& event) {
        return events_.try_emplace(&event, fmt::format("event_{}", events_.size())).first->second;
    }

    const GraphRecord& record_;
    const GraphDumpStyle style_;
    std::string text_;
    std::map<const Event*, std::string> events_;
};

}  // namespace

std::string graphText(const GraphRecord& record, const GraphDumpStyle& style) { return Dump(record, style).text(); }

}  // namespace zetl::emulator::driver
