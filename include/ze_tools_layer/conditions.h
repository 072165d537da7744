/* An addition to program debug: emulated GPUs that evaluate the conditions of breakpoints by themselves.
 *
 * A debugger writes an array of zetl_condition_step_t to this memory space, at the address of an instruction and for
 * all threads. The array replaces the former one of that address. From then on, a thread that comes to the breakpoint
 * there stops only if the program's value is not zero for one of its active lanes, or unknown. One step with operation
 * ZETL_CONDITION_NONE removes the condition:
 *
 *     const zet_debug_memory_space_desc_t space = {ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC, NULL,
 *                                                  ZETL_DEBUG_MEMORY_SPACE_CONDITIONS, address};
 *     zetDebugWriteMemory(session, every_thread, &space, sizeof steps, steps);
 *
 * Steps work on a stack of 64-bit values, of which at most 64 may be needed, and leave one. What cannot be read is
 * unknown, and so is what is computed from it. The debugger then evaluates its condition itself, and says why that
 * fails. At most 1,024 steps are possible. An array that is none of these is refused with
 * ZE_RESULT_ERROR_INVALID_ARGUMENT. A single step by a debugger stops in any case.
 *
 * Reads, from any address, return a zetl_condition_counts_t. docs/reference/program-debug.md describes it.
 */
#ifndef ZE_TOOLS_LAYER_CONDITIONS_H
#define ZE_TOOLS_LAYER_CONDITIONS_H

#include <level_zero/zet_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Other devices refuse this memory space. */
#define ZETL_DEBUG_MEMORY_SPACE_CONDITIONS ((zet_debug_memory_space_type_t)0x7a740005)

typedef enum zetl_condition_operation {
    ZETL_CONDITION_NONE = 0,
    ZETL_CONDITION_NUMBER = 1,   /* pushes `value` */
    ZETL_CONDITION_LANE = 2,     /* pushes the lane's number */
    ZETL_CONDITION_BASE = 3,     /* pushes register `value` of the state bases */
    ZETL_CONDITION_REGISTER = 4, /* pops a bit, counted from the beginning of r0; pushes `bits` bits from there */
    ZETL_CONDITION_MEMORY = 5,   /* pops an address; pushes `bits` bits (8, 16, 32, 64) of the memory there */
    ZETL_CONDITION_LOCAL = 6,    /* the same in local memory, by offset */
    ZETL_CONDITION_EXTEND = 7,   /* extends the sign of a number of `bits` bits */
    ZETL_CONDITION_REAL = 8,     /* widens a floating-point number of `bits` bits (16, 32, 64) to 64 */
    ZETL_CONDITION_NARROW = 9,   /* rounds a floating-point number to `bits` bits (32); it keeps its 64 */
    ZETL_CONDITION_REAL_OF_SIGNED = 10,
    ZETL_CONDITION_REAL_OF_UNSIGNED = 11,
    ZETL_CONDITION_INTEGER_OF_REAL = 12,
    ZETL_CONDITION_BELOW = 13, /* the value is unknown from here on unless it is less than `value` */
    /* of one value */
    ZETL_CONDITION_NEGATE = 14,
    ZETL_CONDITION_COMPLEMENT = 15,
    ZETL_CONDITION_IS_ZERO = 16,
    ZETL_CONDITION_NEGATE_REAL = 17,
    /* of two values, of which the second is on top */
    ZETL_CONDITION_ADD = 18,
    ZETL_CONDITION_SUBTRACT = 19,
    ZETL_CONDITION_MULTIPLY = 20,
    ZETL_CONDITION_DIVIDE_SIGNED = 21,
    ZETL_CONDITION_DIVIDE_UNSIGNED = 22,
    ZETL_CONDITION_REMAINDER_SIGNED = 23,
    ZETL_CONDITION_REMAINDER_UNSIGNED = 24,
    ZETL_CONDITION_AND = 25,
    ZETL_CONDITION_OR = 26,
    ZETL_CONDITION_XOR = 27,
    ZETL_CONDITION_SHIFT_LEFT = 28,
    ZETL_CONDITION_SHIFT_RIGHT_SIGNED = 29,
    ZETL_CONDITION_SHIFT_RIGHT_UNSIGNED = 30,
    ZETL_CONDITION_EQUAL = 31,
    ZETL_CONDITION_LESS_SIGNED = 32,
    ZETL_CONDITION_LESS_UNSIGNED = 33,
    ZETL_CONDITION_ADD_REAL = 34,
    ZETL_CONDITION_SUBTRACT_REAL = 35,
    ZETL_CONDITION_MULTIPLY_REAL = 36,
    ZETL_CONDITION_DIVIDE_REAL = 37,
    ZETL_CONDITION_EQUAL_REAL = 38,
    ZETL_CONDITION_LESS_REAL = 39,
    ZETL_CONDITION_BOTH = 40,  /* && of C: if the first value is zero, the second may be unknown */
    ZETL_CONDITION_EITHER = 41 /* || */
} zetl_condition_operation_t;

typedef struct zetl_condition_step {
    uint32_t operation; /* zetl_condition_operation_t */
    uint32_t bits;
    uint64_t value;
} zetl_condition_step_t;

/* Since the debugger was attached. */
typedef struct zetl_condition_counts {
    uint64_t passed;  /* threads that did not stop, because the value was zero for all lanes */
    uint64_t unknown; /* threads that stopped because it was unknown */
} zetl_condition_counts_t;

#ifdef __cplusplus
}
#endif

#endif
