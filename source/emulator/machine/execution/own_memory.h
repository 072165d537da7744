// Global memory that belongs to one thread or one launch, as the timing model sees it.
#pragma once

#include <cstdint>

#include "emulator/machine/execution/active_dispatch.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/model/trace.h"

namespace zetl::emulator::machine {

/// The host decides where memory of a thread or of a launch lies, so the model takes the offset in it.
class OwnMemory {
  public:
    OwnMemory(const WorkGroup& group, std::uint32_t slot)
        : privateBase_(group.dispatch().launch().privateBase),
          privateBytes_(group.dispatch().launch().privateBytes),
          allPrivate_(privateBytes_ * group.tile().device().profile().threads()),
          ownPrivate_(privateBase_ + slot * privateBytes_),
          payload_(reinterpret_cast<std::uint64_t>(group.dispatch().payload().data())),
          payloadBytes_(group.dispatch().payload().size()) {}

    TraceSpace spaceOf(std::uint64_t& address) const noexcept {
        if (const std::uint64_t within = address - ownPrivate_; within < privateBytes_) {
            address = within;
            return TraceSpace::privateMemory;
        }
        if (const std::uint64_t within = address - privateBase_; within < allPrivate_) {
            address = within % privateBytes_;
            return TraceSpace::privateMemory;
        }
        if (const std::uint64_t offset = address - payload_; offset < payloadBytes_) {
            address = offset;
            return TraceSpace::payload;
        }
        return TraceSpace::global;
    }

    /// Whether no address from `least` to `most` is in such memory.
    bool isOutside(std::uint64_t least, std::uint64_t most) const noexcept {
        const auto apart = [&](std::uint64_t begin, std::uint64_t bytes) {
            return most < begin || least >= begin + bytes;
        };
        return apart(ownPrivate_, privateBytes_) && apart(privateBase_, allPrivate_) && apart(payload_, payloadBytes_);
    }

  private:
    const std::uint64_t privateBase_;
    const std::uint64_t privateBytes_;
    const std::uint64_t allPrivate_;
    const std::uint64_t ownPrivate_;  ///< the thread's own part
    const std::uint64_t payload_;
    const std::uint64_t payloadBytes_;
};

}  // namespace zetl::emulator::machine
