// Branches that lanes take differently: nested conditions, loops with break, continue and return, switch, goto, do-while.
kernel void nested(global const int* a, global const int* b, global int* o) {
    int i = get_global_id(0), x = a[i], r = 0;
    if (x > 0) {
        if (x & 1) {
            r = x * 3;
            if (x & 2) r += b[(i + 7) & 63];
            else r -= b[(i + 9) & 63];
        } else {
            for (int k = 0; k < x; ++k) {
                if (k == 5) continue;
                if (b[k & 63] == 3) break;
                r += b[k & 63] * k;
                if (r > 100) { o[i] = -1; return; }
            }
        }
    } else {
        while (x < 0) x += r + b[(i - x) & 63] + 1, r++;
    }
    o[i] = r;
}

kernel void switched(global const int* a, global const int* b, global int* o) {
    int i = get_global_id(0), r = 0;
    switch (a[i]) {
        case 0: r = b[1]; break;
        case 1: r = b[2] * 3; break;
        case 2: r = b[5] + 7;  // falls through
        case 3: r += b[9]; break;
        case 4: r = 77; break;
        case 5: r = b[4] - b[3]; break;
        case 1000: r = b[i & 63]; break;
        default: r = -1;
    }
    o[i] = r;
}

kernel void collatz(global const uint* a, global uint* o) {
    int i = get_global_id(0);
    uint n = a[i], c = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n >> 1;
        if (++c > 500) break;
    }
    o[i] = c;
}

kernel void uniform_branch(global const int* a, global int* o, int n) {
    int i = get_global_id(0), s = 0;
    for (int k = 0; k < n; ++k) {
        if (k & 3) s += a[k];
        else s -= a[(k + n) & 63];
    }
    if (n > 10) o[i] = s;
    else o[i] = -s + i;
}

kernel void jumped(global const int* a, global int* o) {
    int i = get_global_id(0), j = 0, rounds = 0;
    do {
        do {
            j += (a[(i + j) & 63] & 7) + 1;
            if (j & 0x10) goto out;
        } while (j < 100);
        j -= 50;
    } while (a[j & 63] > 0 && ++rounds < 10);
out:
    o[i] = j * 100 + rounds;
}

int deep(int x, int level) {
    int r = 0;
    for (int i = 0; i < (x & 3) + 1; ++i)
        for (int j = 0; j < ((x >> 2) & 3) + 1; ++j) {
            if ((i ^ j) == level) continue;
            for (int k = j; k < 6; ++k) {
                if (k * i > 9) break;
                r += k ^ (x >> (i + j));
                if (r > 500) return r - 500;
            }
        }
    return r;
}
kernel void loops(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = deep(a[i], 1) + deep(a[i] >> 4, 2) * 1000;
}

// Some lanes leave before the others reach the end.
kernel void early(global const int* a, global int* o) {
    int i = get_global_id(0);
    if (a[i] < 3) return;
    o[i] = a[i];
    if (a[i] < 6) return;
    for (int k = 0; k < a[i]; ++k) {
        o[i] += k;
        if (o[i] > 30) return;
    }
    o[i] += 1000;
}

kernel void short_circuit(global const int* a, global int* o) {
    int i = get_global_id(0), x = a[i], y = a[(i + 1) & 63], z = 0;
    if (x > 4 && (y != 0 && 100 / y > x) || x == 2) z = 1;
    z += x > y ? (x > 7 ? 2 : y > 3 ? 4 : 8) : (y & 1) ? 16 : 32;
    o[i] = z;
}
