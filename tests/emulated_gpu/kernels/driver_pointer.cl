// Calls of functions whose addresses come from the host (zeModuleGetFunctionPointer), as those of driver_callee.cl do.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*Function)(int);

kernel void apply(global int* data, ulong function) { data[get_global_id(0)] = ((Function)function)(data[get_global_id(0)]); }

// Neighbouring work-items call different functions.
kernel void applyEach(global int* data, global const ulong* functions) {
    const size_t i = get_global_id(0);
    data[i] = ((Function)functions[i & 1])(data[i]);
}
