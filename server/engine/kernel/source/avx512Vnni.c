/* 16 columns in a vector, four products a lane and instruction. */

#include <immintrin.h>
#include "matmul.h"

#pragma clang attribute push( \
	__attribute__((target("evex512,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c"))), \
	apply_to = function \
)

#include "quantize.inc"

typedef __m512i Whole;
typedef __m512 Real;
enum { lanes = 16, maxRows = 12 };

#define loadWhole(from) _mm512_loadu_si512(from)
#define spreadOne(from) _mm512_set1_epi32(*(const int32_t *)(from))
#define widenBytes(from) _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(from)))
#define lowHalves(both) _mm512_and_si512(both, _mm512_set1_epi8(15))
#define highHalves(both) _mm512_and_si512(_mm512_srli_epi16(both, 4), _mm512_set1_epi8(15))
#define dot(sum, codes, four) _mm512_dpbusd_epi32(sum, codes, four)
#define pairProduct(a, b) _mm512_madd_epi16(a, b)
#define toReal(whole) _mm512_cvtepi32_ps(whole)
#define zeroReal() _mm512_setzero_ps()
#define loadReal(from) _mm512_loadu_ps(from)
#define widenHalves(from) _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from)))
#define storeReal(to, real) _mm512_storeu_ps(to, real)
#define spreadReal(value) _mm512_set1_ps(value)
#define mulReal(a, b) _mm512_mul_ps(a, b)
#define fmaReal(a, b, c) _mm512_fmadd_ps(a, b, c)

#define allRows(subs) \
	forRows(1, subs) forRows(2, subs) forRows(3, subs) forRows(4, subs) forRows(5, subs) forRows(6, subs) \
	forRows(7, subs) forRows(8, subs) forRows(9, subs) forRows(10, subs) forRows(11, subs) forRows(12, subs)

#include "x86Rows.inc"

#pragma clang attribute pop

const Path avx512VnniPath = {"avx512-vnni", maxRows, quantize, multiply};
