// Half of a program of two modules: the function is in driver_callee.cl.
int scaled(int value);

kernel void call(global int* data) { data[get_global_id(0)] = scaled(data[get_global_id(0)]); }
