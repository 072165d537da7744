#include "debug/register_snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "debug/register_sets.h"

namespace zetl::debug {

zetl_status_t RegisterSnapshot::take(Target& target, const device::Device& device, const zetl_thread_t& thread,
                                     std::size_t limit, std::vector<std::byte>& bytes) {
    bytes.clear();
    for (const auto* set : registerSetsOf(device)) {
        Head head{set->type, 0};
        if (const auto status = target.registerCount(thread, set->type, head.count); status != ZETL_OK) return status;
        const auto values = bytesOf(*set, head.count, device);
        const auto begin = bytes.size();
        if (head.count > set->count || values > limit || begin + sizeof head + values > limit) return ZETL_UNSUPPORTED;
        bytes.resize(begin + sizeof head + values);
        std::memcpy(bytes.data() + begin, &head, sizeof head);
        if (head.count == 0) continue;
        const auto status =
            target.readRegisters(thread, set->type, 0, head.count, values, bytes.data() + begin + sizeof head);
        if (status != ZETL_OK) return status;
    }
    return ZETL_OK;
}

std::optional<RegisterSnapshot> RegisterSnapshot::parse(std::vector<std::byte> bytes, const device::Device& device) {
    RegisterSnapshot snapshot;
    std::size_t at = 0;
    for (const auto* set : registerSetsOf(device)) {
        Head head{};
        if (bytes.size() - at < sizeof head) return std::nullopt;
        std::memcpy(&head, bytes.data() + at, sizeof head);
        at += sizeof head;
        if (head.type != set->type || head.count > set->count) return std::nullopt;
        const auto values = bytesOf(*set, head.count, device);
        if (bytes.size() - at < values) return std::nullopt;
        snapshot.sets_.push_back({head, at, values});
        at += values;
    }
    if (at != bytes.size()) return std::nullopt;
    snapshot.bytes_ = std::move(bytes);
    return snapshot;
}

const RegisterSnapshot::Set* RegisterSnapshot::find(std::uint32_t type) const {
    const auto found =
        std::find_if(sets_.begin(), sets_.end(), [type](const Set& set) { return set.head.type == type; });
    return found == sets_.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> RegisterSnapshot::count(std::uint32_t type) const {
    const auto* set = find(type);
    return set ? std::optional(set->head.count) : std::nullopt;
}

const std::byte* RegisterSnapshot::find(std::uint32_t type, std::uint32_t first, std::uint32_t count,
                                        std::uint64_t bytes) const {
    const auto* set = find(type);
    if (!set || first >= set->head.count || count > set->head.count - first) return nullptr;
    const auto one = set->bytes / set->head.count;
    return bytes == one * count ? bytes_.data() + set->begin + one * first : nullptr;
}

}  // namespace zetl::debug
