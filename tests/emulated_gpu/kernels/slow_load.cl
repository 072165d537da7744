// In a module of its own: the compiler leaves debug information out of modules with several kernels.

/// Steps through a ring: each load waits for the one before.
kernel void chase(global const uint* p, uint n, global uint* out) {
    uint i = 0;
    for (uint k = 0; k < n; ++k)
        i = p[i];  // THE SLOW LOAD
    *out = i;
}
