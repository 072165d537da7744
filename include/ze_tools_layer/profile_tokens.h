/*
 * An extension of zetKernelGetProfileInfo that returns profile tokens in a buffer of the caller
 * (docs/reference/pin.md).
 *
 * The specification places tokens directly behind zet_profile_properties_t, but a caller cannot state how much room
 * there is. Therefore the plain call writes no tokens. To read them, chain this structure to the properties and set
 * their stype:
 *
 *   zetl_profile_tokens_t tokens = {ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, NULL, 0, NULL, 0};
 *   zet_profile_properties_t properties = {ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, &tokens, 0, 0};
 *   zetKernelGetProfileInfo(kernel, &properties);            // tokens.size: bytes needed
 *   tokens.tokens = malloc(tokens.size);
 *   zetKernelGetProfileInfo(kernel, &properties);            // properties.numTokens tokens, back to back
 *
 * A driver that supports the extension lists ZETL_PROFILE_TOKENS_EXTENSION (zeDriverGetExtensionProperties).
 */
#ifndef ZE_TOOLS_LAYER_PROFILE_TOKENS_H
#define ZE_TOOLS_LAYER_PROFILE_TOKENS_H

#include <level_zero/zet_api.h>
#include <stddef.h>

#define ZETL_PROFILE_TOKENS_EXTENSION "ZETL_extension_profile_tokens"
#define ZETL_STRUCTURE_TYPE_PROFILE_TOKENS ((zet_structure_type_t)0x7a740001)

/* Where the list of free registers comes from. */
typedef enum zetl_token_source {
    ZETL_TOKENS_NONE = 0,        /* the build did not request a list, or no register is free */
    ZETL_TOKENS_OF_COMPILER = 1, /* the compiler's list, without registers that the machine code uses after all */
    ZETL_TOKENS_OF_ANALYSIS = 2  /* analysis of the machine code: bytes that no instruction reads or writes */
} zetl_token_source_t;

typedef struct zetl_profile_tokens {
    zet_structure_type_t stype; /* [in] ZETL_STRUCTURE_TYPE_PROFILE_TOKENS */
    void* pNext;                /* [in][optional] */
    size_t size;                /* [in,out] size of the buffer at `tokens`; set to the size of all tokens */
    void* tokens; /* [out][optional] null: return the size only. If too small: INVALID_SIZE, nothing is written */
    zetl_token_source_t source; /* [out] */
} zetl_profile_tokens_t;

#endif
