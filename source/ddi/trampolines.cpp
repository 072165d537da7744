#include "ddi/trampoline.h"

namespace zetl::ddi {

const TrampolineRow kTrampolines[kTraced] = {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor)                                                           \
    {reinterpret_cast<Address>(&Trampoline<Function::api##object##member, decltype(api##object##member)>::call), \
     reinterpret_cast<Address>(                                                                                  \
         &Trampoline<Function::api##object##member, decltype(api##object##member)>::unsupported)},
#include "ddi/core_api.def"
#undef TABLE
#undef SLOT
};

}  // namespace zetl::ddi
