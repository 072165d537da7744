// Additions to global memory whose results are not used, combined before they are done: a loop that counts adds to the
// same words again and again, and each locked instruction of the host costs as much as ten others.
//
// Each host thread that runs threads has one. Pending additions are done before the thread to which they belong touches
// global memory in any other way, and before it stops or ends, so that the delay cannot be observed.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace zetl::emulator::isa {

struct PendingAdditions {
    static constexpr std::uint32_t kEntries = 512;  ///< an element's entry follows from its address
    struct Entry {
        std::uint32_t* element = nullptr;  ///< null: none
        std::uint64_t sum = 0;             ///< modulo the element's size
    };

    std::uint32_t pending = 0;  ///< not 0: some additions are pending
    std::array<std::uint64_t, kEntries / 64> used{};
    std::array<Entry, kEntries> entries{};

    /// Does them in the order of addresses, so that each line of the host's cache is visited once.
    void flush() noexcept {
        for (std::uint32_t word = 0; word < used.size(); ++word) {
            for (std::uint64_t left = used[word]; left != 0; left &= left - 1) {
                Entry& entry = entries[word * 64 + static_cast<std::uint32_t>(std::countr_zero(left))];
                __atomic_fetch_add(entry.element, static_cast<std::uint32_t>(entry.sum), __ATOMIC_SEQ_CST);
                entry.element = nullptr;
            }
            used[word] = 0;
        }
        pending = 0;
    }
};

}  // namespace zetl::emulator::isa
