// The getters that a loader looks up by name to have its tables filled: one per table, for all tables that exist,
// whatever headers this build has. The tables are arrays of function pointers here; Layer::fill knows how many entries
// each has.
#include "layer.h"

#define TABLE(api, table, c_name)                                                                           \
    extern "C" ZE_APIEXPORT ze_result_t ZE_APICALL api##Get##table##ProcAddrTable(ze_api_version_t version, \
                                                                                  void** pDdiTable) {       \
        return zetl::layer::Layer::instance().fill(zetl::ddi::Table::api##table, version, pDdiTable,        \
                                                   __builtin_return_address(0));                            \
    }
#define SLOT(api, table, index, object, member, minor)
#include "ddi/every_api.def"
