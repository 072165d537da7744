#include "emulator/driver/sysman/frequency_domain.h"

namespace zetl::emulator::driver {

void FrequencyDomain::describe(zes_freq_properties_t& out) const noexcept {
    out.type = ZES_FREQ_DOMAIN_GPU;
    place_.place(out);
    out.canControl = out.isThrottleEventSupported = false;
    out.min = out.max = megahertz();
}

void FrequencyDomain::state(zes_freq_state_t& out) const noexcept {
    out.currentVoltage = kUnknown;
    out.request = out.tdp = out.efficient = out.actual = megahertz();
    out.throttleReasons = 0;
}

}  // namespace zetl::emulator::driver
