/* Eight columns in a vector, four products a lane and instruction. */

#include <immintrin.h>
#include "matmul.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni"))), apply_to = function)

#include "quantize.inc"

#define dot(sum, codes, four) _mm256_dpbusd_avx_epi32(sum, codes, four)

#include "avx2.inc"

#pragma clang attribute pop

const Path avxVnniPath = {"avx-vnni", maxRows, quantize, multiply};
