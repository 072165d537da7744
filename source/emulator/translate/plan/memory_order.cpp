#include "emulator/translate/plan/memory_order.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "emulator/translate/plan/step_extents.h"

namespace zetl::emulator::translate {
namespace {

namespace layout = isa::layout;
using isa::LaneAccess;
using isa::Step;

constexpr std::uint32_t kVector = layout::kRegisterBytes;
constexpr std::uint32_t kDword = 4;
constexpr std::uint32_t kDwordsOfVector = kVector / kDword;

/// What sixteen lanes of dwords are.
struct Order {
    enum class Kind : std::uint8_t {
        component,  ///< worked out from these lanes' component of the loads
        same        ///< one number
    } kind = Kind::same;
    std::uint32_t shape = 0;  ///< how they were worked out, whichever component it was
    std::uint32_t number = 0;
    std::uint32_t of = 0;  ///< so many components
    std::uint32_t chunk = 0;

    bool isComponent() const { return kind == Kind::component; }
    bool isBeside(const Order& other) const { return number == other.number && of == other.of && chunk == other.chunk; }
};

bool movesComponents(const Meaning& what, const LaneAccess& access) {
    return access.components > 1 && elementBytes(what.laneForm()) == kDword;
}

class OrderFollower {
  public:
    /// Returns false if the step needs components where they belong.
    bool follow(const Step& m, const Meaning& what) {
        const auto extents = extentsOf(m, what);
        if (!extents) return false;
        if (what.family == Family::laneAccess) return followAccess(m, what, *extents);
        bool reads = false;
        for (const Extent& read : extents->reads) reads = reads || touches(read);
        if (reads) return work(m, what);
        const auto same = sameOf(m, what, *extents);
        if (extents->write) forget(*extents->write);
        if (same)
            for (std::uint32_t c = 0; c < m.chunks; ++c) values_[m.dst / kVector + c] = *same;
        return true;
    }
    bool storesAll() const { return storesAll_; }

  private:
    using Key = std::vector<std::uint64_t>;
    std::map<std::uint32_t, Order> values_;          ///< by place in slots; others are not known
    std::map<std::uint32_t, std::uint32_t> writes_;  ///< how often something of a slot was written
    std::map<Key, std::uint32_t> shapes_;
    bool storesAll_ = false;

    std::uint32_t shapeOf(Key key) {
        return shapes_.try_emplace(std::move(key), static_cast<std::uint32_t>(shapes_.size())).first->second;
    }

    template <class F>
    static void eachSlot(const Extent& e, F&& f) {
        for (std::uint32_t i = 0; i < e.count; ++i) {
            const std::uint32_t first = e.place + i * e.spacing;
            for (std::uint32_t slot = first / kVector; slot * kVector < first + e.bytes; ++slot) f(slot);
        }
    }
    bool touches(const Extent& e) const {
        bool some = false;
        eachSlot(e, [&](std::uint32_t slot) {
            const auto found = values_.find(slot);
            some = some || (found != values_.end() && found->second.isComponent());
        });
        return some;
    }
    void forget(const Extent& e) {
        eachSlot(e, [&](std::uint32_t slot) {
            values_.erase(slot);
            ++writes_[slot];
        });
    }

    bool followAccess(const Step& m, const Meaning& what, const StepExtents& extents) {
        const auto access = LaneAccess::of(m);
        if (touches(extents.reads[0])) return false;
        if (what.laneForm().write) {
            storesAll_ = movesComponents(what, access) && stores(m, access);
            return storesAll_;
        }
        forget(*extents.write);
        if (!movesComponents(what, access)) return true;
        const std::uint32_t shape = shapeOf({static_cast<std::uint64_t>(what.family), m.line});
        for (std::uint32_t k = 0; k < access.components; ++k)
            for (std::uint32_t c = 0; c < m.chunks; ++c)
                values_[slotOf(access, k, c)] = {Order::Kind::component, shape, k, access.components, c};
        return true;
    }
    static std::uint32_t slotOf(const LaneAccess& access, std::uint32_t component, std::uint32_t chunk) {
        return (access.registers + component * access.componentBytes) / kVector + chunk;
    }
    /// Whether each component of the data is its own, and all were worked out alike.
    bool stores(const Step& m, const LaneAccess& access) const {
        for (std::uint32_t c = 0; c < m.chunks; ++c) {
            const auto first = values_.find(slotOf(access, 0, c));
            if (first == values_.end()) return false;
            for (std::uint32_t k = 0; k < access.components; ++k) {
                const auto data = values_.find(slotOf(access, k, c));
                const Order wanted{Order::Kind::component, first->second.shape, k, access.components, c};
                if (data == values_.end() || !data->second.isComponent() || data->second.shape != wanted.shape ||
                    !data->second.isBeside(wanted))
                    return false;
            }
        }
        return true;
    }

    /// Of a step that gives all lanes one number: which.
    std::optional<Order> sameOf(const Step& m, const Meaning& what, const StepExtents& extents) {
        const bool spreads = what.family == Family::convert && what.wide && what.stride == 0 && isOfDwords(what) &&
                             isWhole(m, what) && extents.reads.size() == 1 && m.dst % kVector == 0;
        if (!spreads) return {};
        const std::uint32_t from = extents.reads[0].place;
        const auto written = writes_.find(from / kVector);
        return Order{.shape = shapeOf({static_cast<std::uint64_t>(what.family), from,
                                       written == writes_.end() ? 0 : written->second,
                                       static_cast<std::uint64_t>(what.type), static_cast<std::uint64_t>(what.lanes)})};
    }
    static bool isOfDwords(const Meaning& what) {
        const bool hasType = what.family == Family::convert || what.family == Family::retire;
        return isa::byteSize(what.lanes) == kDword && (!hasType || isa::byteSize(what.type) == kDword);
    }
    static bool isWhole(const Step& m, const Meaning& what) {
        const std::uint32_t all = m.chunks == 2 ? ~0u : 0xffffu;
        return what.wide && !what.masked && m.mask.lanes == all && m.mask.predicate == isa::Predicate::none;
    }

    /// A step on components: on whole vectors of dwords, lane by lane.
    bool work(const Step& m, const Meaning& what) {
        if (!isWhole(m, what) || !isOfDwords(what) || m.dst % kVector != 0) return false;
        std::vector<std::uint64_t> sources;
        switch (what.family) {
            case Family::compute:
                sources.assign(m.src, m.src + operandsOf(what));
                break;
            case Family::convert:
                if (what.stride != 1) return false;
                sources = {m.src[0]};
                break;
            case Family::retire:
                if (m.stride != 1) return false;
                sources = {m.src[0]};
                break;
            case Family::modify:
            case Family::clamp:
                sources = {m.dst};
                break;
            default:
                return false;
        }
        std::vector<Order> results;
        for (std::uint32_t c = 0; c < m.chunks; ++c) {
            const auto result = resultOf(m, what, sources, c);
            if (!result) return false;
            results.push_back(*result);
        }
        for (std::uint32_t c = 0; c < m.chunks; ++c) {
            values_[m.dst / kVector + c] = results[c];
            ++writes_[m.dst / kVector + c];
        }
        return true;
    }
    std::optional<Order> resultOf(const Step& m, const Meaning& what, const std::vector<std::uint64_t>& sources,
                                  std::uint32_t chunk) {
        std::optional<Order> beside;
        Key key{static_cast<std::uint64_t>(what.family), what.row, static_cast<std::uint64_t>(what.lanes),
                static_cast<std::uint64_t>(what.type),   m.kind,   m.size,
                static_cast<std::uint64_t>(m.value),     m.extra};
        for (const std::uint64_t source : sources) {
            const auto value = valueAt(source, m.chunks, chunk);
            if (!value || (value->isComponent() && beside && !value->isBeside(*beside))) return {};
            if (value->isComponent()) beside = value;
            key.push_back(static_cast<std::uint64_t>(value->kind) << 32 | value->shape);
        }
        if (beside) beside->shape = shapeOf(std::move(key));
        return beside;
    }
    std::optional<Order> valueAt(std::uint64_t source, std::uint32_t chunks, std::uint32_t chunk) {
        if (source >= layout::kBytes) return constantAt(source, chunks);
        if (source % kVector != 0) return {};
        const auto found = values_.find(static_cast<std::uint32_t>(source / kVector) + chunk);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<Order> constantAt(std::uint64_t address, std::uint32_t chunks) {
        std::array<std::uint32_t, 2 * kDwordsOfVector> lanes;
        std::memcpy(lanes.data(), reinterpret_cast<const void*>(address), chunks * kVector);
        for (std::uint32_t i = 1; i < chunks * kDwordsOfVector; ++i)
            if (lanes[i] != lanes[0]) return {};
        constexpr std::uint64_t kConstant = ~std::uint64_t{0};
        return Order{.shape = shapeOf({kConstant, lanes[0]})};
    }
};

}  // namespace

bool keepsMemoryOrder(const GroupPlan& plan) {
    OrderFollower follower;
    for (const GroupPlan::Line& line : plan.always)
        for (std::size_t i = 0; i < line.steps.size(); ++i)
            if (line.meanings[i] != nullptr && !follower.follow(line.steps[i], *line.meanings[i])) return false;
    return follower.storesAll();
}

}  // namespace zetl::emulator::translate
