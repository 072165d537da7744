// The shared loader that the tests are linked with.
#include <dlfcn.h>

#include "support/level_zero.h"

namespace zetl::test {

void* loaderFunction(const char* name) {
    static void* const loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return loader ? dlsym(loader, name) : nullptr;
}

}  // namespace zetl::test
