// A tool's own function in place of one of driver_callee.cl, which it calls in turn.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*Function)(int);

global ulong original = 0;  // its address; the tool sets it
global int calls = 0;

int scaled(int value) {
    atomic_inc(&calls);
    return ((Function)original)(value) + 1000;
}
