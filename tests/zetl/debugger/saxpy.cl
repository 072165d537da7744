// What the debugger's tests debug. They name lines of this file by what is written there.
struct pair {
    int first;
    float second;
};
float scaled(float factor, float value) {
    float product = factor * value;
    return product;
}
kernel void saxpy(global const float* x, global float* y, float a, int n, local float* scratch) {
    int i = get_global_id(0);
    int l = get_local_id(0);
    float steps[4];
    for (int k = 0; k < 4; ++k) steps[k] = k;
    struct pair both = {i, a};
    scratch[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        float v = scaled(a, scratch[l]);
        y[i] += v + steps[i & 3] * both.second;
    }
}
