/* Processors without dot products: pairs are added in 16 bits, which the small numbers of the weights allow. */

#include <immintrin.h>
#include "matmul.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

#include "quantize.inc"

#define dotPairs(pairs, codes, four) _mm256_add_epi16(pairs, _mm256_maddubs_epi16(codes, four))
#define addPairs(sum, pairs) _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))

#include "avx2.inc"

#pragma clang attribute pop

const Path avx2Path = {"avx2", maxRows, quantize, multiply};
