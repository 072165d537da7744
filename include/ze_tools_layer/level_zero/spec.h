/*
 * Includes the installed headers and tells which specification they describe: ZETL_SPEC_LACKS(n) is true if they are
 * older than 1.n. Headers before 1.11 have no macro for their version and count as 1.9, the oldest supported one.
 */
#pragma once

/* Defined by a test that compares all declarations with those of newer headers. */
#if !defined(ZETL_SPEC_LACKS)

#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <level_zero/ze_api.h>
#include <level_zero/zet_api.h>

#if defined(__has_include)
#if __has_include(<level_zero/zer_api.h>)
#include <level_zero/zer_api.h>
#endif
#endif

#if defined(ZE_API_VERSION_CURRENT_M)
#define ZETL_SPEC_LACKS(minor) ((ZE_API_VERSION_CURRENT_M) < ZE_MAKE_VERSION(1, minor))
#else
#define ZETL_SPEC_LACKS(minor) ((minor) > 9)
#endif

#endif

/*
 * Loader 1.19 added zeKernelGetBinaryExp, but its headers have the same specification number, 1.11, as those of loader
 * 1.18, which lack the function. Headers of 1.11 count as those of loader 1.19; define ZETL_HEADERS_OF_LOADER_1_18 for
 * those of loader 1.18.
 */
#if ZETL_SPEC_LACKS(11) || defined(ZETL_HEADERS_OF_LOADER_1_18)
#define ZETL_LACKS_KERNEL_GET_BINARY 1
#else
#define ZETL_LACKS_KERNEL_GET_BINARY 0
#endif
