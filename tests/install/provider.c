/* A provider of device access as its maker writes one: a device without any section but the mandatory one. With BROKEN
 * it breaks two rules. */
#include <string.h>
#include <ze_tools_layer/device_access.h>

#define DEVICE 1u

static zetl_status_t list(uint32_t capacity, zetl_device_t* devices, uint32_t* count) {
    *count = 1;
    if (capacity > 0) devices[0] = DEVICE;
    return ZETL_OK;
}

static zetl_status_t describe(zetl_device_t device, zetl_device_info_t* info) {
#if defined(BROKEN)
    (void)device;
#else
    if (device != DEVICE) return ZETL_GONE;
#endif
    if (info == NULL || info->size < sizeof *info) return ZETL_MISUSE;
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    info->name = "made elsewhere";
    info->chip = "elsewhere";
    info->level_count = 1;
    info->levels[0].name = "core";
#if !defined(BROKEN)
    info->levels[0].count = 4;
#endif
    return ZETL_OK;
}

__attribute__((visibility("default"))) const zetl_device_access_t* zetlGetDeviceAccess(uint32_t version) {
    static const zetl_device_functions_t devices = {.size = sizeof devices, .list = list, .describe = describe};
    static const zetl_device_access_t access = {.size = sizeof access,
                                                .version = ZETL_DEVICE_ACCESS_VERSION,
                                                .provider = "elsewhere",
                                                .devices = &devices};
    return version >= ZETL_DEVICE_ACCESS_VERSION ? &access : NULL;
}
