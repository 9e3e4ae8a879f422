/*
 * The part of ONNX Runtime's C interface that the operator uses, declared by itself. `OrtApi` is a table of
 * functions whose entries are only ever appended; the numbers are places in it. `Operator` has the members
 * of OrtCustomOp up to version 16.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct Status Status;
typedef struct Options Options;
typedef struct Domain Domain;
typedef struct Info Info;
typedef struct Context Context;
typedef struct Value Value;
typedef struct Shape Shape;
typedef void (*const *Api)(void);

typedef struct {
	Api (*getApi)(uint32_t version);
	const char *(*getVersion)(void);
} ApiBase;

/* `parallelFor` came with 17. */
enum { apiVersion = 17, operatorVersion = 16, failed = 1, invalidArgument = 2, elementFloat = 1, elementUint8 = 2, elementHalf = 10 };

#define entry(api, place, ...) ((Status * (*)(__VA_ARGS__))(api)[place])
#define createStatus(api) entry(api, 0, int, const char *)
#define createDomain(api) entry(api, 26, const char *, Domain **)
#define addOperator(api) entry(api, 27, Domain *, const void *)
#define addDomain(api) entry(api, 28, Options *, Domain *)
#define tensorData(api) entry(api, 51, Value *, void **)
#define elementType(api) entry(api, 60, const Shape *, int *)
#define dimensionCount(api) entry(api, 61, const Shape *, size_t *)
#define dimensions(api) entry(api, 62, const Shape *, int64_t *, size_t)
#define elementCount(api) entry(api, 64, const Shape *, size_t *)
#define typeAndShape(api) entry(api, 65, const Value *, Shape **)
#define integerAttribute(api) entry(api, 86, const Info *, const char *, int64_t *)
#define contextInput(api) entry(api, 90, const Context *, size_t, const Value **)
#define contextOutput(api) entry(api, 91, Context *, size_t, const int64_t *, size_t, Value **)
#define releaseStatus(api) ((void (*)(Status *))(api)[93])
#define releaseShape(api) ((void (*)(Shape *))(api)[99])
#define constantInput(api) entry(api, 249, const Info *, size_t, int *, const Value **)
#define parallelFor(api) entry(api, 274, const Context *, void (*)(void *, size_t), size_t, size_t, void *)

typedef struct Operator Operator;
struct Operator {
	uint32_t version;
	void *(*create)(const Operator *, Api, const Info *);
	const char *(*name)(const Operator *);
	const char *(*provider)(const Operator *);
	int (*inputType)(const Operator *, size_t);
	size_t (*inputCount)(const Operator *);
	int (*outputType)(const Operator *, size_t);
	size_t (*outputCount)(const Operator *);
	void (*compute)(void *, Context *);
	void (*destroy)(void *);
	int (*inputCharacteristic)(const Operator *, size_t);
	int (*outputCharacteristic)(const Operator *, size_t);
	int (*inputMemory)(const Operator *, size_t);
	int (*minVariadicInputs)(const Operator *);
	int (*variadicInputsAreAlike)(const Operator *);
	int (*minVariadicOutputs)(const Operator *);
	int (*variadicOutputsAreAlike)(const Operator *);
	Status *(*createV2)(const Operator *, Api, const Info *, void **);
	Status *(*computeV2)(void *, Context *);
};
