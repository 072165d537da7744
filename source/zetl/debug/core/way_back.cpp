#include "core/way_back.h"

#include <utility>

namespace zetl::debugger {
namespace {

/// Joins it with the code before it if that reaches up to `joined`.
void add(WayBack::Code& code, std::uint64_t begin, std::uint64_t end, std::uint32_t marks, std::uint64_t joined) {
    if (marks == 0) return;
    const bool joins = !code.empty() && code.back().marks == marks && code.back().end >= joined;
    if (joins)
        code.back().end = end;
    else
        code.push_back({begin, end, marks, 0});
}

const Function* functionAt(const Module* module, std::uint64_t address) {
    return module ? module->debug().functionAt(address) : nullptr;
}

}  // namespace

WayBack::WayBack(const ModuleList& modules, std::uint64_t address, bool over)
    : module_(modules.at(address)),
      address_(address),
      over_(over),
      function_(functionAt(module_, address)),
      depth_(depthAt(address)) {}

bool WayBack::isBlank() const { return !module_ || (!function_ && !module_->debug().lineAt(address_)); }

std::size_t WayBack::depthAt(std::uint64_t address) const {
    return module_ ? module_->debug().scopesAt(address).size() : 0;
}

bool WayBack::isOwn(std::uint64_t address) const {
    if (function_) return address >= function_->begin && address < function_->end;
    return functionAt(module_, address) == nullptr;
}

bool WayBack::counts(std::uint64_t address) const { return !over_ || (isOwn(address) && depthAt(address) <= depth_); }

/// The function's first instruction is always marked FROM: what the thread did before it is another function's.
template <class F>
WayBack::Code WayBack::marked(F&& marksOf) const {
    Code code;
    if (!module_) return code;
    bool beginsHere = function_ != nullptr;
    for (const auto& each : module_->debug().lineCode()) {
        const bool own = isOwn(each.begin);
        const auto marks = static_cast<std::uint32_t>(marksOf(each));
        auto begin = each.begin;
        if (beginsHere && own) {
            const bool isFirst = begin == function_->begin;
            add(code, function_->begin, function_->begin + 1, ZETL_HISTORY_FROM | (isFirst ? marks : 0),
                function_->begin);
            begin += isFirst;
            beginsHere = false;
        }
        const auto* const other = own ? nullptr : functionAt(module_, begin);
        add(code, begin, each.end, marks, other ? other->begin : begin);  // gaps of other functions are theirs
    }
    return code;
}

WayBack::Code WayBack::counting() const {
    return marked([&](const LineCode& each) -> std::uint32_t { return counts(each.begin) ? ZETL_HISTORY_FROM : 0; });
}

WayBack::Code WayBack::lineAt(std::uint64_t other) const {
    const auto line = module_ ? module_->debug().lineAt(other) : SourceLine();
    const auto* const function = functionAt(module_, other);
    return marked([&](const LineCode& each) -> std::uint32_t {
        if (!counts(each.begin)) return 0;
        const bool isThere = each.line == line && functionAt(module_, each.begin) == function;
        return isThere ? ZETL_HISTORY_TO : ZETL_HISTORY_FROM;
    });
}

WayBack::Code WayBack::callers(std::size_t frame) const {
    return marked([&](const LineCode& each) -> std::uint32_t {
        return isOwn(each.begin) && depthAt(each.begin) + frame < depth_ ? ZETL_HISTORY_FROM : 0;
    });
}

bool WayBack::isBehindCall(std::uint64_t found, std::size_t frame) const {
    return function_ && found == function_->begin && depthAt(found) + frame >= depth_;
}

}  // namespace zetl::debugger
