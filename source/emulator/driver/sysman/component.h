// What the sysman components of a device have in common: which tile they belong to, and how a device's are found.
#pragma once

#include <level_zero/zes_api.h>

#include <chrono>
#include <memory>
#include <vector>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/peers/shared_use.h"

namespace zetl::emulator::driver {

/// What sysman says of a property that the device does not know.
inline constexpr int kUnknown = -1;

/// The tile of a component, as a device of the driver shows it: of a root device of several tiles it is a sub-device.
class TileOfDevice {
  public:
    TileOfDevice(Device& root, std::uint32_t index) noexcept : root_(root), tile_(root.tile(index)) {}

    Device& root() const noexcept { return root_; }
    machine::Tile& tile() const noexcept { return tile_; }
    const machine::DeviceProfile& profile() const noexcept { return root_.profile(); }
    /// By all processes of the user.
    peers::TileUse use() const { return peers::SharedUse::of(root_.machine()).total().tiles[tile_.index()]; }

    /// Fills in the fields that every component's properties have.
    template <class Properties>
    void place(Properties& out) const noexcept {
        out.onSubdevice = !root_.subDevices().empty();
        out.subdeviceId = out.onSubdevice ? tile_.index() : 0;
    }

  private:
    Device& root_;
    machine::Tile& tile_;
};

/// The microseconds of a duration; sysman counts in them.
template <class D>
std::uint64_t microseconds(D duration) noexcept {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

/// The moment of a sample, in microseconds.
inline std::uint64_t sampleTime() noexcept {
    return microseconds(std::chrono::nanoseconds(machine::HostTime::monotonicRaw()));
}

/// Makes the components of type T that a tile has: one, or T::kPerTile, each with its number.
template <class T>
void makeComponents(const TileOfDevice& place, std::vector<std::shared_ptr<T>>& out) {
    if constexpr (requires { T::kPerTile; })
        for (std::uint32_t kind = 0; kind < T::kPerTile; ++kind) out.push_back(std::make_shared<T>(place, kind));
    else
        out.push_back(std::make_shared<T>(place));
}

/// Every component of type T of each tile of each root device, made when the first is asked for. They live as long as
/// the process.
template <class T>
const std::vector<std::shared_ptr<T>>& components() {
    static const auto* const all = [] {
        auto made = std::make_unique<std::vector<std::shared_ptr<T>>>();
        for (const auto& root : Driver::instance().devices())
            for (std::uint32_t i = 0; i < root->tiles(); ++i) makeComponents(TileOfDevice(*root, i), *made);
        for (const auto& component : *made) live<T>().add(component);
        return made.release();
    }();
    return *all;
}

/// Those of a root device, or those of a sub-device.
template <class T>
std::vector<std::shared_ptr<T>> componentsOf(Device& device) {
    std::vector<std::shared_ptr<T>> own;
    for (const auto& component : components<T>()) {
        const TileOfDevice& place = component->place();
        if (&place.root() != &device.root()) continue;
        if (!device.isSubDevice() || place.tile().index() == device.firstTile()) own.push_back(component);
    }
    return own;
}

}  // namespace zetl::emulator::driver
