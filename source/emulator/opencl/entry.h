// The functions that are implemented, by their place in the dispatch table.
#pragma once

#include <cstddef>

#include "emulator/opencl/headers.h"

namespace zetl::emulator::opencl {

cl_int CL_API_CALL getPlatformIds(cl_uint room, cl_platform_id* platforms, cl_uint* count) noexcept;
cl_int CL_API_CALL getPlatformInfo(cl_platform_id, cl_platform_info, std::size_t, void*, std::size_t*) noexcept;
void* CL_API_CALL getExtensionFunction(const char* name) noexcept;

/// Each function enters the functions of one file of this directory into the table.
void servePlatform(cl_icd_dispatch& table) noexcept;
void serveDevices(cl_icd_dispatch& table) noexcept;
void serveContexts(cl_icd_dispatch& table) noexcept;
void serveQueues(cl_icd_dispatch& table) noexcept;
void servePrograms(cl_icd_dispatch& table) noexcept;
void serveKernels(cl_icd_dispatch& table) noexcept;

}  // namespace zetl::emulator::opencl
