#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Exactly rounded operations, so that results can be compared bit for bit; item i works on a[i], b[i], c[i].
kernel void singles(global const float* a, global const float* b, global const float* c, global float* out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i], z = c[i];
    global float* o = out + i * 8;
    o[0] = x + y;
    o[1] = x * y;
    o[2] = fma(x, y, z);
    o[3] = x / y;
    o[4] = sqrt(fabs(x));
    o[5] = fmin(x, y) + floor(z);
    o[6] = convert_int_sat(x) + rint(y);
    o[7] = x < y ? trunc(z) : ceil(z);
}

kernel void doubles(global const double* a, global const double* b, global const double* c, global double* out) {
    size_t i = get_global_id(0);
    double x = a[i], y = b[i], z = c[i];
    global double* o = out + i * 6;
    o[0] = x + y;
    o[1] = x * y;
    o[2] = fma(x, y, z);
    o[3] = x / y;
    o[4] = sqrt(fabs(x));
    o[5] = (float)x + (double)convert_long_sat(y);
}

kernel void halves(global const half* a, global const half* b, global const half* c, global half* out) {
    size_t i = get_global_id(0);
    half x = a[i], y = b[i], z = c[i];
    global half* o = out + i * 4;
    o[0] = x + y;
    o[1] = x * y;
    o[2] = fma(x, y, z);
    o[3] = (half)((float)x * 0.1f);
}
