// In optimised code, x shares its register with a parameter of the function that is built in, which changes it. The
// tests know which values are right.
static inline __attribute__((always_inline)) int lowered(int value, int most) {
    while (value > most) value = value / 2 + 1;
    return value;
}
kernel void merged(global int* data) {
    int i = get_global_id(0);
    int x = data[i] * 3 + i;
    int g = lowered(x, 9);
    int h = lowered(g * 9, 5 + (i & 1));
    data[i] = g + h * 100;
}
