// Kernels for drivers whose machine code is not Intel's: what takes more than arithmetic of the hardware.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void prints(global const float* values) {
    const int i = (int)get_global_id(0);
    printf("work-item %d of %s: %.2f, %c, %ld%%\n", i, "prints", values[i], 'a' + i, 10000000000 + i);
    if (i == 0) printf("no values\n");
}

kernel void halves(global const half* in, global half* out) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = sin(in[i]);
    out[n + i] = pow(in[i], (half)1.5h);
    const half4 all = sqrt((half4)(in[i], in[i] + 1.0h, in[i] + 2.0h, in[i] + 3.0h));
    out[2 * n + i] = all.x + all.w;
    out[3 * n + i] = native_exp(in[i]);
    out[4 * n + i] = ldexp(in[i], 2);
}

kernel void dimensions(global int* out) { out[0] = (int)get_work_dim(); }

__attribute__((reqd_work_group_size(4, 2, 1))) kernel void required(global int* out) {
    const size_t i = get_local_id(1) * get_local_size(0) + get_local_id(0);
    out[i] = (int)(get_local_size(0) * 10 + get_local_size(1));
}

global int counter = 5;

// The counter was so far; then it counts.
kernel void countUp(global int* out) { out[0] = counter++; }
