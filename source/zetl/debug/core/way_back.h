// Which code a step back by lines looks for in a thread's history, by the line table.
#pragma once

#include <ze_tools_layer/history.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/module_list.h"

namespace zetl::debugger {

/// Of a thread that is at an address.
class WayBack {
  public:
    using Code = std::vector<zetl_history_code_t>;

    /// `over`: code of called functions does not count, inlined ones included.
    WayBack(const ModuleList& modules, std::uint64_t address, bool over);

    /// Neither a line nor a function is known there.
    bool isBlank() const;
    /// The thread is about to execute the first instruction of a function.
    bool isAtBegin() const noexcept { return function_ != nullptr && function_->begin == address_; }
    /// FROM: code that counts.
    Code counting() const;
    /// TO: the line at that address, which counts. FROM: what counts else.
    Code lineAt(std::uint64_t other) const;
    /// FROM: code that calls the inlined function that `frame` is of, or the first instruction of the called one.
    Code callers(std::size_t frame) const;
    /// A result for callers(): the instruction before it is the call.
    bool isBehindCall(std::uint64_t found, std::size_t frame) const;

  private:
    template <class F>
    Code marked(F&& marksOf) const;
    std::size_t depthAt(std::uint64_t address) const;
    bool isOwn(std::uint64_t address) const;
    bool counts(std::uint64_t address) const;

    const Module* const module_;
    const std::uint64_t address_;
    const bool over_;
    const Function* const function_;
    const std::size_t depth_;  ///< of inlined calls
};

}  // namespace zetl::debugger
