// Pointers to functions of the same module, chosen at run time and from a table.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*Function)(int);

__attribute__((noinline)) int twice(int value) { return 2 * value; }
__attribute__((noinline)) int thrice(int value) { return 3 * value; }
constant Function table[2] = {twice, thrice};

kernel void choose(global int* data, int which) {
    const size_t i = get_global_id(0);
    Function chosen = which ? twice : thrice;
    data[i] = 100 * chosen(data[i]) + table[i & 1](data[i]);
}
