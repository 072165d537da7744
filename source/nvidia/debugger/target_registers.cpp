// Registers of stopped warps.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "nvidia/debugger/target.h"

namespace zetl::nvidia {
namespace {

std::string nameOf(const RegisterSetShape& shape, std::uint32_t index) {
    return shape.info.count == 1 ? std::string(shape.prefix) : fmt::format("{}{}", shape.prefix, index);
}

std::uint64_t load(const void* from, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
}

}  // namespace

zetl_status_t Target::checkRegisters(const zetl_thread_t& thread, const RegisterSetShape* shape, std::uint32_t first,
                                     std::uint32_t count) {
    if (!shape || first > shape->info.count || count > shape->info.count - first) return ZETL_MISUSE;
    if (state_ == State::gone) return ZETL_GONE;
    return state_ == State::stopped && warps_.contains(warpOf(thread)) ? ZETL_OK : ZETL_NOT_READY;
}

std::vector<std::optional<std::uint64_t>> Target::valuesOf(const RegisterSetShape& shape, std::uint32_t first,
                                                           std::uint32_t count) {
    std::vector<std::optional<std::uint64_t>> values(count);
    std::map<std::string_view, std::uint32_t> places;
    std::string command = "-data-list-register-values x";
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto found = registers_.find(nameOf(shape, first + i));
        if (found == registers_.end()) continue;
        places.emplace(found->second, i);
        command += ' ' + found->second;
    }
    if (places.empty()) return values;
    const auto answer = gdb_->ask(command);
    const auto* const all = answer ? answer->value.find("register-values") : nullptr;
    if (!all) return values;
    for (const auto& [name, each] : all->items) {
        const auto place = places.find(each.textOf("number"));
        const std::string value(each.textOf("value"));
        if (place != places.end() && value.starts_with("0x"))
            values[place->second] = std::strtoull(value.c_str(), nullptr, 16);
    }
    return values;
}

zetl_status_t Target::registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) {
    const Lock guard(mutex_);
    const auto* const shape = registerSet(type);
    if (const auto status = checkRegisters(thread, shape, 0, 0); status != ZETL_OK) return status;
    count = shape->info.count;
    return ZETL_OK;
}

zetl_status_t Target::readLanes(const Warp& warp, const RegisterSetShape& shape, std::uint32_t first,
                                std::uint32_t count, void* values) {
    auto* const words = static_cast<std::uint32_t*>(values);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (!focus(warp, lane)) continue;
        const auto found = valuesOf(shape, first, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto value = static_cast<std::uint32_t>(found[i].value_or(0));
            if (shape.lanes == Lanes::words)
                words[i * kLanes + lane] = value;
            else
                words[i] |= (value & 1) << lane;
        }
    }
    return gdb_->gone() ? ZETL_LOST : ZETL_OK;
}

zetl_status_t Target::readPlaces(const Warp& warp, std::uint32_t first, std::uint32_t count, std::uint32_t* words) {
    const auto* const row = rowOf(warp);
    const auto lanes = gdb_->ask(fmt::format("-cuda-info-lanes device {} sm {} warp {}", ordinal_, warp.sm, warp.warp));
    const auto kernels = gdb_->ask("-cuda-info-kernels");
    if (!lanes || !kernels) return ZETL_LOST;
    if (!row) return ZETL_NOT_READY;
    const auto sizes = groupSizesFrom(kernels->value);
    const auto size = sizes.find(row->kernel);
    for (const auto& [lane, item] : lanesFrom(lanes->value)) {
        const std::array all{row->group, item, size == sizes.end() ? Coordinates{} : size->second};
        for (std::uint32_t i = 0; i < count && lane < kLanes; ++i)
            words[i * kLanes + lane] = all[(first + i) / 3][(first + i) % 3];
    }
    return ZETL_OK;
}

zetl_status_t Target::readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                    std::uint32_t count, void* values) {
    const Lock guard(mutex_);
    const auto* const shape = registerSet(type);
    if (const auto status = checkRegisters(thread, shape, first, count); status != ZETL_OK) return status;
    const auto warp = warpOf(thread);
    std::memset(values, 0, std::size_t{count} * shape->info.bytes);
    if (shape->set() == RegisterSet::step) {
        const std::uint32_t stepping = steps_.contains(warp);
        std::memcpy(values, &stepping, count * sizeof stepping);
        return ZETL_OK;
    }
    if (shape->set() == RegisterSet::place) return readPlaces(warp, first, count, static_cast<std::uint32_t*>(values));
    if (shape->set() == RegisterSet::laneMasks) {
        const auto* const row = rowOf(warp);
        if (!row) return gdb_->gone() ? ZETL_LOST : ZETL_NOT_READY;
        const std::array masks{row->lanes, row->active};
        std::memcpy(values, &masks[first], count * sizeof masks[0]);
        return ZETL_OK;
    }
    if (shape->set() == RegisterSet::faultCounter && !faulted_) return ZETL_OK;
    if (const auto* const row = shape->set() == RegisterSet::programCounter ? rowOf(warp) : nullptr) {
        std::memcpy(values, &row->counter, count * sizeof row->counter);
        return ZETL_OK;
    }
    if (shape->lanes != Lanes::none) return readLanes(warp, *shape, first, count, values);
    if (!focus(warp, std::nullopt)) return gdb_->gone() ? ZETL_LOST : ZETL_NOT_READY;
    const auto found = valuesOf(*shape, first, count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto value = found[i].value_or(0);
        std::memcpy(static_cast<std::byte*>(values) + std::size_t{i} * shape->info.bytes, &value, shape->info.bytes);
    }
    return gdb_->gone() ? ZETL_LOST : ZETL_OK;
}

bool Target::setRegister(const RegisterSetShape& shape, std::uint32_t index, std::uint64_t value) {
    const auto answer = gdb_->ask(fmt::format("-gdb-set var ${}={:#x}", nameOf(shape, index), value));
    return answer && answer->done;
}

zetl_status_t Target::writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                     std::uint32_t count, const void* values) {
    const Lock guard(mutex_);
    const auto* const shape = registerSet(type);
    if (const auto status = checkRegisters(thread, shape, first, count); status != ZETL_OK) return status;
    if (!shape->info.writeable) return ZETL_UNSUPPORTED;
    const auto warp = warpOf(thread);
    const auto* const bytes = static_cast<const std::byte*>(values);
    if (shape->set() == RegisterSet::step) {
        if (count == 0) return ZETL_OK;
        if (load(bytes, shape->info.bytes) != 0)
            steps_.insert(warp);
        else
            steps_.erase(warp);
        return ZETL_OK;
    }
    const std::uint32_t lanes = shape->lanes == Lanes::none ? 1 : kLanes;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        if (!focus(warp, lanes == 1 ? std::nullopt : std::optional(lane))) continue;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto* const at = bytes + std::size_t{i} * shape->info.bytes;
            const auto value = shape->lanes == Lanes::words  ? load(at + lane * 4, 4)
                               : shape->lanes == Lanes::bits ? load(at, 4) >> lane & 1
                                                             : load(at, shape->info.bytes);
            if (!setRegister(*shape, first + i, value)) return gdb_->gone() ? ZETL_LOST : ZETL_UNSUPPORTED;
        }
    }
    return gdb_->gone() ? ZETL_LOST : ZETL_OK;
}

}  // namespace zetl::nvidia
