// Atomic operations on global and local memory, 32 and 64 bits; results that do not depend on the order.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void counted(global int* v, global uint* u, global int* seen) {
    int i = get_global_id(0);
    atomic_add(&v[0], i);
    atomic_sub(&v[1], i);
    atomic_inc(&v[2]);
    atomic_dec(&v[3]);
    atomic_min(&v[4], i - 7);
    atomic_max(&v[5], i - 7);
    atomic_or(&v[6], 1 << (i & 31));
    atomic_and(&v[7], ~(1 << (i & 15)));
    atomic_xor(&v[8], i);
    atomic_min(&u[0], (uint)i + 3u);
    atomic_max(&u[1], 0x80000000u + i);
    seen[atomic_add(&v[9], 1)] = 1;
}

kernel void counted_locally(global int* o) {
    local int v[8];
    int i = get_local_id(0);
    if (i < 8) v[i] = i == 3 ? 1000 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&v[0], i);
    atomic_inc(&v[1]);
    atomic_max(&v[2], i * 3);
    atomic_min(&v[3], i + 5);
    atomic_or(&v[4], 1 << (i & 31));
    atomic_xor(&v[5], i * 77);
    atomic_xchg(&v[6], 9);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) o[get_group_id(0) * 8 + i] = v[i];
}

kernel void counted_long(global long* v) {
    long i = get_global_id(0);
    atom_add(&v[0], i << 33);
    atom_sub(&v[1], i);
    atom_inc(&v[2]);
    atom_dec(&v[3]);
    atom_min(&v[4], -i * 5000000000l);
    atom_max(&v[5], i * 5000000000l);
    atom_or(&v[6], 1l << (i & 63));
    atom_and(&v[7], ~(1l << (i & 63)));
    atom_xor(&v[8], i << 20);
}

// One counter for each place: exchange hands every ticket to exactly one.
kernel void exchanged(global int* slot, global int* histogram) {
    int got = atomic_xchg(slot, (int)get_global_id(0) + 1);
    atomic_inc(&histogram[got]);
}

// A sum of reals built from compare-and-exchange: exact because the addends are whole.
kernel void real_sum(global volatile int* sum, global const float* a) {
    int expected, found = *sum;
    do {
        expected = found;
        found = atomic_cmpxchg(sum, expected, as_int(as_float(expected) + a[get_global_id(0)]));
    } while (found != expected);
}

kernel void histogram(global const uchar* a, global uint* o, int count) {
    local uint part[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) part[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < count; i += get_global_size(0)) atomic_inc(&part[a[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&o[i], part[i]);
}
