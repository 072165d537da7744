// The text of zeModuleInspectLinkageExt.
#pragma once

#include <level_zero/ze_api.h>

#include <memory>
#include <span>
#include <string>

namespace zetl::emulator::driver {

class Module;

/// One section per flag, with one symbol per line: imports, imports that none of the modules exports, exports.
std::string describeLinkage(std::span<const std::shared_ptr<Module>> modules, ze_linkage_inspection_ext_flags_t flags);

}  // namespace zetl::emulator::driver
