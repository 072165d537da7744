// The sessions of one process on several devices as one: the slices of all devices are numbered on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/link.h"

namespace zetl::debugger {

/// The devices must be of one architecture, and have the same number of threads for each slice.
class MergedLink final : public Link {
  public:
    explicit MergedLink(std::vector<std::unique_ptr<Link>> parts);

    const Architecture& architecture() const override { return parts_.front()->architecture(); }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override {
        return parts_.front()->registerSets();
    }

    ze_result_t readEvent(std::uint64_t milliseconds, zet_debug_event_t& event) override;
    ze_result_t acknowledge(const zet_debug_event_t& event) override;
    ze_result_t interrupt(const ThreadId& set) override;
    ze_result_t resume(const ThreadId& set) override;
    ze_result_t readMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override;
    ze_result_t writeMemory(const ThreadId& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                            std::size_t bytes, const void* buffer) override;
    ze_result_t setBreakpoint(std::uint64_t address, bool on) override;
    ze_result_t readRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override;
    ze_result_t writeRegisters(const ThreadId& thread, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                               const void* values) override;

  private:
    struct Place {
        Link* link = nullptr;
        ThreadId thread;
    };
    struct Module {
        std::size_t part;
        std::uint64_t imageBegin;
        std::uint64_t imageEnd;
    };

    Place placeOf(const ThreadId& thread) const;
    /// The device to whose code or images the address belongs; the first one for other memory, which all share.
    Link& ownerOf(std::uint64_t address) const;
    /// False if others have yet to say the same.
    bool digest(std::size_t part, zet_debug_event_t& event);
    bool digestAnswer(zet_debug_event_t& event);
    ze_result_t askHistory(std::size_t bytes, const void* request);
    ze_result_t readHistory(std::uint64_t offset, std::size_t bytes, void* buffer);
    ze_result_t readWatches(std::size_t bytes, void* buffer);
    ze_result_t readConditions(std::size_t bytes, void* buffer);

    /// Of each part: the best result, because a device on which nothing happens refuses.
    template <class F>
    ze_result_t each(F&& call) const;

    const std::vector<std::unique_ptr<Link>> parts_;
    const ThreadShape part_;  ///< of one device
    const ThreadShape shape_;
    std::multimap<std::uint64_t, Module> modules_;  ///< by the address of their code
    std::size_t next_ = 0;                          ///< the device whose events are read next
    std::size_t unanswered_ = 0;                    ///< devices that have yet to answer an interrupt of all threads
    bool anyStopped_ = false;                       ///< one of the others has stopped threads
    std::size_t entered_ = 0;                       ///< devices with queues
    std::size_t recorded_ = 0;                      ///< the device that answered the last question about the history
};

}  // namespace zetl::debugger
