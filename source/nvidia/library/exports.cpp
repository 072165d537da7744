// The exported functions of libze_nvidia_gpu.so.1: one getter for every dispatch table, called by the loader.
#include "composition.h"
#include "driver/tables.h"

#define TABLE(api, table, c_name)                                                                         \
    extern "C" __attribute__((visibility("default")))                                                     \
    ze_result_t ZE_APICALL api##Get##table##ProcAddrTable(ze_api_version_t version, void* out) noexcept { \
        zetl::nvidia::compose();                                                                          \
        return zetl::driver::fillTable(zetl::ddi::Table::api##table, version, out);                       \
    }
#define SLOT(api, table, index, object, member, minor)
#include "ddi/every_api.def"
