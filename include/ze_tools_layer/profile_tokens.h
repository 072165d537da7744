/*
 * Profile tokens with room for them: an extension of zetKernelGetProfileInfo (docs/reference/pin.md).
 *
 * The specification puts tokens right behind zet_profile_properties_t, and gives no way to say how much room is there.
 * So the plain call writes none. Who wants them chains this structure to the properties, whose stype must be set:
 *
 *   zetl_profile_tokens_t tokens = {ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, NULL, 0, NULL, 0};
 *   zet_profile_properties_t properties = {ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, &tokens, 0, 0};
 *   zetKernelGetProfileInfo(kernel, &properties);            // tokens.size: bytes that are needed
 *   tokens.tokens = malloc(tokens.size);
 *   zetKernelGetProfileInfo(kernel, &properties);            // properties.numTokens tokens, one behind the other
 *
 * A driver that knows it lists the extension ZETL_PROFILE_TOKENS_EXTENSION (zeDriverGetExtensionProperties).
 */
#ifndef ZE_TOOLS_LAYER_PROFILE_TOKENS_H
#define ZE_TOOLS_LAYER_PROFILE_TOKENS_H

#include <level_zero/zet_api.h>
#include <stddef.h>

#define ZETL_PROFILE_TOKENS_EXTENSION "ZETL_extension_profile_tokens"
#define ZETL_STRUCTURE_TYPE_PROFILE_TOKENS ((zet_structure_type_t)0x7a740001)

/* Who found the free registers. */
typedef enum zetl_token_source {
    ZETL_TOKENS_NONE = 0,        /* nothing was asked for at the build, or nothing is free */
    ZETL_TOKENS_OF_COMPILER = 1, /* the compiler's record, less what the machine code was found to touch */
    ZETL_TOKENS_OF_ANALYSIS = 2  /* the machine code: bytes that no instruction reads or writes */
} zetl_token_source_t;

typedef struct zetl_profile_tokens {
    zet_structure_type_t stype; /* [in] ZETL_STRUCTURE_TYPE_PROFILE_TOKENS */
    void* pNext;                /* [in][optional] */
    size_t size;                /* [in,out] bytes at `tokens`; set to the bytes of all tokens */
    void* tokens; /* [out][optional] null: only the size is wanted. Too small: INVALID_SIZE, nothing is written */
    zetl_token_source_t source; /* [out] */
} zetl_profile_tokens_t;

#endif
