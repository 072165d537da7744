// Section "event memory".
#pragma once

#include "provider/backend.h"

namespace zetl::provider {

template <Backend B>
class EventMemories {
  public:
    using Provider = B;
    using Device = typename B::Device;

    virtual zetl_status_t descriptor(Device& device, std::int32_t& descriptor, std::uint64_t& bytes) const = 0;

  protected:
    ~EventMemories() = default;
};

template <class Section>
class EventMemoryTable {
    using B = typename Section::Provider;
    static constexpr Section kSection{};

    static zetl_status_t descriptor(zetl_device_t id, std::int32_t* descriptor, std::uint64_t* bytes) noexcept {
        return atWork<B>([&] {
            auto* const device = B::deviceOf(id);
            if (!device) return ZETL_GONE;
            return descriptor && bytes ? kSection.descriptor(*device, *descriptor, *bytes) : ZETL_MISUSE;
        });
    }

  public:
    static constexpr zetl_event_memory_functions_t kFunctions = {
        .size = sizeof(zetl_event_memory_functions_t),
        .reserved = 0,
        .descriptor = descriptor,
    };
};

}  // namespace zetl::provider
