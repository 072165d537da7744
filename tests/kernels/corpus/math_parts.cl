// Functions that take a number apart or put it together, and the fast native ones.
kernel void parts(global const float* a, global float* f, global int* n) {
    size_t i = get_global_id(0), count = get_global_size(0);
    float x = a[i], whole;
    int e, quotient;
    f[0 * count + i] = frexp(x, &e);
    n[0 * count + i] = isfinite(x) && x != 0 ? e : 0;
    f[1 * count + i] = modf(x, &whole);
    f[2 * count + i] = whole;
    f[3 * count + i] = ldexp(x, 3);
    f[4 * count + i] = ldexp(x, -70);
    f[5 * count + i] = logb(x);
    f[6 * count + i] = fract(x, &whole);
    n[1 * count + i] = isfinite(x) && x != 0 ? ilogb(x) : 0;
}

kernel void native_functions(global const float* a, global float* o) {
    size_t i = get_global_id(0), n = get_global_size(0);
    float x = a[i];
    o[0 * n + i] = native_exp(x);
    o[1 * n + i] = native_log(x);
    o[2 * n + i] = native_sin(x);
    o[3 * n + i] = native_cos(x);
    o[4 * n + i] = native_sqrt(x);
    o[5 * n + i] = native_rsqrt(x);
    o[6 * n + i] = native_recip(x);
    o[7 * n + i] = native_divide(x, 3.0f);
    o[8 * n + i] = native_powr(x, 1.5f);
}
