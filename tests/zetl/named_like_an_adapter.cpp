// Stands in for SYCL's adapter for Level Zero: what matters is its name, and that it is linked to no loader.
extern "C" __attribute__((visibility("default"))) void urAdapterGet() {}
