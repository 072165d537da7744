// The sysman components of a device: what NVML measures (sysman specification, "Power", "Frequency", "Temperature",
// "Memory").
#pragma once

#include <array>

#include "nvidia/driver/shared_parts.h"
#include "nvidia/driver/sysman/monitored_device.h"

namespace zetl::nvidia {

/// What the components have in common. `Kind` tells those of one device apart.
template <class T, class H, class Kind>
class Component : public Object<T, H> {
  public:
    Component(const MonitoredDevice& place, Kind kind) noexcept : place_(place), kind_(kind) {}
    const MonitoredDevice& place() const noexcept { return place_; }

  protected:
    NvmlDevice nvmlDevice() const noexcept { return place_.nvml; }
    Kind kind() const noexcept { return kind_; }

  private:
    const MonitoredDevice place_;
    const Kind kind_;
};

/// For components of which a device has one.
enum class OnlyOne { it };

/// The whole card's power.
class PowerDomain : public Component<PowerDomain, zes_pwr_handle_t, OnlyOne> {
  public:
    static constexpr const char* kNoun = "power domain";
    static constexpr std::array kKinds{OnlyOne::it};
    static bool isMeasured(const MonitoredDevice& place, OnlyOne) noexcept;
    using Component::Component;

    void describe(zes_power_properties_t& out) const noexcept;
    Result<zes_power_energy_counter_t> energy() const noexcept;
};

/// The clock of the multiprocessors, and that of the memory.
class FrequencyDomain : public Component<FrequencyDomain, zes_freq_handle_t, NvmlClock> {
  public:
    static constexpr const char* kNoun = "frequency domain";
    static constexpr std::array kKinds{NvmlClock::sm, NvmlClock::memory};
    static bool isMeasured(const MonitoredDevice& place, NvmlClock clock) noexcept;
    using Component::Component;

    void describe(zes_freq_properties_t& out) const noexcept;
    Status state(zes_freq_state_t& out) const noexcept;
};

class TemperatureSensor : public Component<TemperatureSensor, zes_temp_handle_t, NvmlSensor> {
  public:
    static constexpr const char* kNoun = "temperature sensor";
    static constexpr std::array kKinds{NvmlSensor::gpu};
    static bool isMeasured(const MonitoredDevice& place, NvmlSensor sensor) noexcept;
    using Component::Component;

    void describe(zes_temp_properties_t& out) const noexcept;
    Result<double> degrees() const noexcept;
};

class MemoryModule : public Component<MemoryModule, zes_mem_handle_t, OnlyOne> {
  public:
    static constexpr const char* kNoun = "memory module";
    static constexpr std::array kKinds{OnlyOne::it};
    static bool isMeasured(const MonitoredDevice& place, OnlyOne) noexcept;
    using Component::Component;

    void describe(zes_mem_properties_t& out) const noexcept;
    /// Of all processes.
    Status state(zes_mem_state_t& out) const noexcept;
};

}  // namespace zetl::nvidia
