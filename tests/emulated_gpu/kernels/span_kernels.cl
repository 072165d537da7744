// Two kernels that share no counter: one writes and works on floats, the other one reads and works on doubles.

kernel void writes(volatile global float* out, int turns) {
    float value = get_global_id(0);
    for (int i = 0; i < turns; ++i) {
        value = value * 0.5f + 1;
        out[get_global_id(0)] = value;
    }
}

kernel void reads(volatile global const double* in, int turns, global double* never) {
    double sum = 0;
    for (int i = 0; i < turns; ++i) sum += in[get_global_id(0)];
    if (sum != sum) *never = sum;
}
