// What registers and flags have to do with the value of one load, at a place in a program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace zetl::emulator::check {

/// What is known of a dword of the registers, or of a flag. Of what is not known nothing comes of the load's value.
struct LoadFact {
    enum class What : std::uint8_t {
        derived,  ///< something was computed of the loaded value
        copy,     ///< a dword of the loaded value, which nobody has changed
        address,  ///< a dword of the load's address
        result,   ///< a dword that a compare-exchange found at the address
        same,     ///< a flag that is set only where the loaded value is what was found
        differs,  ///< a flag that is not set only there
        success,  ///< a number that is not zero only there
    };
    static constexpr std::uint8_t kEveryLane = 255;

    What what = What::derived;
    std::uint8_t lane = 0;
    std::uint8_t part = 0;  ///< of eight bytes

    bool isOfLoad() const noexcept { return what == What::derived || what == What::copy; }
    bool is(What kind, std::uint32_t ofLane, std::uint32_t ofPart) const noexcept {
        return what == kind && part == ofPart && (lane == kEveryLane || lane == ofLane);
    }
    friend bool operator==(const LoadFact&, const LoadFact&) = default;
};

/// All that is known at a place in the program.
class LoadFacts {
    using What = LoadFact::What;

  public:
    const LoadFact* at(std::uint32_t key) const noexcept {
        const auto found = known_.find(key);
        return found == known_.end() ? nullptr : &found->second;
    }
    bool isOfLoad(std::uint32_t key) const noexcept {
        const LoadFact* const fact = at(key);
        return fact != nullptr && fact->isOfLoad();
    }
    bool holdLoad() const noexcept {
        return std::ranges::any_of(known_, [](const auto& one) { return one.second.isOfLoad(); });
    }
    void set(std::uint32_t key, const std::optional<LoadFact>& fact) {
        if (fact)
            known_.insert_or_assign(key, *fact);
        else
            known_.erase(key);
    }
    /// Either of both is true there.
    static std::optional<LoadFact> either(const LoadFact* a, const LoadFact* b) noexcept {
        if (a != nullptr && b != nullptr && *a == *b) return *a;
        const bool load = (a != nullptr && a->isOfLoad()) || (b != nullptr && b->isOfLoad());
        if (!load) return {};
        const auto isCopy = [](const LoadFact* one) { return one != nullptr && one->what == What::copy; };
        const auto agrees = [](const LoadFact& copy, const LoadFact* other) {
            return other != nullptr && other->what == What::result && other->part == copy.part &&
                   (copy.lane == LoadFact::kEveryLane || copy.lane == other->lane);
        };
        // What was found is compared with the next time.
        if (isCopy(a) && agrees(*a, b)) return *a;
        if (isCopy(b) && agrees(*b, a)) return *b;
        return LoadFact{};
    }
    /// Another way leads here, too. Returns whether that changes anything.
    bool join(const LoadFacts& other) {
        LoadFacts joined;
        const auto add = [&](const LoadFacts& these) {
            for (const auto& [key, fact] : these.known_) joined.set(key, either(at(key), other.at(key)));
        };
        add(*this);
        add(other);
        const bool changes = joined.known_ != known_;
        known_ = std::move(joined.known_);
        return changes;
    }
    template <class Drop>
    void drop(Drop&& drop) {
        std::erase_if(known_, [&](const auto& one) { return drop(one.second); });
    }
    /// The load is about to be executed again: of the value that it had, nothing is compared any more.
    void age() {
        drop([](const LoadFact& fact) { return !fact.isOfLoad(); });
        for (auto& [key, fact] : known_) fact = {};
    }

  private:
    std::map<std::uint32_t, LoadFact> known_;
};

}  // namespace zetl::emulator::check
