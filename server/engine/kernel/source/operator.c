/*
 * The operator `nearglot:MatMulInt4` for ONNX Runtime, on the runtime's own threads.
 *
 * Inputs: X float [..., K]; W uint8 [N, blocks, block / 2]; scales float or float16 [N · blocks];
 * optional: zero points uint8 [N · ⌈blocks / 2⌉], or minima float16 [N · blocks].
 * Attributes: K, N, block_size, zero_point (where there are no zero points).
 * Output: float [..., N].
 */

#include <stdlib.h>
#include "matmul.h"
#include "ortApi.h"
#include "sharedTiles.h"

#if defined(_WIN32)
#define exported __declspec(dllexport)
#else
#define exported __attribute__((visibility("default")))
#endif

enum { inputX, inputWeights, inputScales, inputOffsets, inputCount, maxRank = 8, maxBand = 256 };

typedef struct {
	Tiles *tiles;
} Kernel;

static Api api;
static const Path *usedPath;

#define check(call) \
	do { \
		Status *status = (call); \
		if (status != 0) return status; \
	} while (0)

/* Without a runtime there is no way to say why. */
static Status *outOfMemory(void) {
	return api == 0 ? (Status *)&api : createStatus(api)(failed, "MatMulInt4: out of memory");
}

static Status *refuse(const char *message) { return createStatus(api)(invalidArgument, message); }

/* The data of a tensor, seen to have this many elements of this type; any other is a refusal. */
static Status *readTensor(const Value *value, int64_t wanted, int type, const char *message, const void **data) {
	Shape *shape = 0;
	check(typeAndShape(api)(value, &shape));
	size_t count = 0;
	int found = 0;
	Status *status = elementCount(api)(shape, &count);
	if (status == 0) status = elementType(api)(shape, &found);
	releaseShape(api)(shape);
	if (status != 0) return status;
	if (found != type || count != (size_t)wanted) return refuse(message);
	return tensorData(api)((Value *)value, (void **)data);
}

static Status *isHalf(const Value *value, int *half) {
	Shape *shape = 0;
	int type = 0;
	check(typeAndShape(api)(value, &shape));
	Status *status = elementType(api)(shape, &type);
	releaseShape(api)(shape);
	*half = type == elementHalf;
	return status;
}

/* Fills in where the data of W lies; nothing is read beyond what the shapes allow. */
static Status *readSource(const Value *const *inputs, Source *source) {
	const int64_t columns = source->columns, blocks = source->blocks;
	const void *data = 0;
	check(readTensor(
		inputs[inputWeights], columns * blocks * (source->block / 2), elementUint8, "MatMulInt4: the weights do not fit K, N and block_size", &data
	));
	source->weights = data;
	check(isHalf(inputs[inputScales], &source->scalesAreHalf));
	check(readTensor(
		inputs[inputScales], columns * blocks, source->scalesAreHalf ? elementHalf : elementFloat, "MatMulInt4: the scales do not fit the weights", &source->scales
	));
	if (inputs[inputOffsets] == 0) return 0;
	int areMinima = 0;
	check(isHalf(inputs[inputOffsets], &areMinima));
	source->offsetKind = areMinima ? offsetsMinima : offsetsZeros;
	return readTensor(
		inputs[inputOffsets],
		areMinima ? columns * blocks : columns * ((blocks + 1) / 2),
		areMinima ? elementHalf : elementUint8,
		"MatMulInt4: the zero points or minima do not fit the weights",
		&source->offsets
	);
}

static Status *createKernel(const Operator *op, Api table, const Info *info, void **out) {
	(void)op, (void)table;
	int64_t inner = 0, columns = 0, block = 0, zero = 0;
	check(integerAttribute(api)(info, "K", &inner));
	check(integerAttribute(api)(info, "N", &columns));
	check(integerAttribute(api)(info, "block_size", &block));
	check(integerAttribute(api)(info, "zero_point", &zero));
	const int64_t most = 1 << 24;
	if (inner < 1 || columns < 1 || inner > most || columns > most) return refuse("MatMulInt4: impossible K or N");
	if (block != 32 && block != 64 && block != 128) return refuse("MatMulInt4: block_size must be 32, 64 or 128");
	if (zero < 0 || zero > 15) return refuse("MatMulInt4: zero_point must be 0 to 15");
	const Value *inputs[inputCount] = {0};
	for (size_t i = inputWeights; i < inputCount; i++) {
		int isConstant = 0;
		Status *status = constantInput(api)(info, i, &isConstant, &inputs[i]);
		/* There are fewer inputs. */
		if (status != 0) releaseStatus(api)(status);
		if (status != 0 || !isConstant) inputs[i] = 0;
	}
	if (inputs[inputWeights] == 0 || inputs[inputScales] == 0)
		return refuse("MatMulInt4: weights and scales must be constants of the same graph");
	Source source = {0};
	source.inner = inner;
	source.columns = columns;
	source.block = (int)block;
	source.blocks = (inner + block - 1) / block;
	source.zero = (int)zero;
	check(readSource(inputs, &source));
	Kernel *kernel = malloc(sizeof *kernel);
	if (kernel == 0) return outOfMemory();
	kernel->tiles = tilesOf(&source);
	if (kernel->tiles == 0) {
		free(kernel);
		return outOfMemory();
	}
	*out = kernel;
	return 0;
}

static void destroyKernel(void *state) {
	Kernel *kernel = state;
	releaseTiles(kernel->tiles);
	free(kernel);
}

/* Memory for activations, kept from one run to the next; a few runs may overlap. */
typedef struct {
	size_t bytes;
	char padding[64 - sizeof(size_t)];
} Scratch;

enum { scratchSlots = 8, maxKeptBytes = 8 << 20 };
static Scratch *kept[scratchSlots];

static Scratch *takeScratch(size_t bytes) {
	for (int i = 0; i < scratchSlots; i++) {
		Scratch *found = __atomic_exchange_n(&kept[i], (Scratch *)0, __ATOMIC_ACQ_REL);
		if (found == 0) continue;
		if (found->bytes >= bytes) return found;
		free(found);
	}
	Scratch *made = malloc(sizeof *made + 64 + bytes);
	if (made != 0) made->bytes = bytes;
	return made;
}

static void returnScratch(Scratch *scratch) {
	for (int i = 0; i < scratchSlots && scratch != 0 && scratch->bytes <= maxKeptBytes; i++)
		scratch = __atomic_exchange_n(&kept[i], scratch, __ATOMIC_ACQ_REL);
	free(scratch);
}

typedef struct {
	const Matrix *matrix;
	const Path *path;
	Activations activations;
	const float *x;
	float *y;
	int64_t rows;
	int64_t tiles;
	int64_t tilesEach;
	int64_t rowsEach;
} Work;

static void quantizePart(void *data, size_t part) {
	const Work *work = data;
	const int64_t from = (int64_t)part * work->rowsEach;
	const int64_t end = from + work->rowsEach < work->rows ? from + work->rowsEach : work->rows;
	for (int64_t row = from; row < end; row++)
		work->path->quantize(work->x + row * work->matrix->inner, work->matrix, &work->activations, row);
}

static void multiplyPart(void *data, size_t part) {
	const Work *work = data;
	const int64_t from = (int64_t)part * work->tilesEach;
	const int64_t end = from + work->tilesEach < work->tiles ? from + work->tilesEach : work->tiles;
	multiplyTiles(work->path, work->matrix, &work->activations, work->rows, from, end, work->y);
}

/* Multiplications below which handing a part to another thread costs more than it brings. */
enum { partWork = 1 << 18, maxParts = 64 };

static int64_t divideUp(int64_t value, int64_t by) { return (value + by - 1) / by; }

/* Makes the parts, on the threads of the session if there is one. */
static Status *forParts(const Context *context, void (*make)(void *, size_t), int64_t parts, Work *work) {
	if (context != 0 && parts > 1) return parallelFor(api)(context, make, (size_t)parts, 0, work);
	for (int64_t part = 0; part < parts; part++) make(work, (size_t)part);
	return 0;
}

static Status *multiplyBand(const Context *context, Work *work) {
	const int64_t inner = work->matrix->blocks * work->matrix->block;
	/* Reading a number is far less than multiplying it with every column. */
	work->rowsEach = divideUp(partWork / 4, inner);
	check(forParts(context, quantizePart, divideUp(work->rows, work->rowsEach), work));
	work->tiles = divideUp(work->matrix->columns, tileColumns);
	const int64_t least = divideUp(partWork, inner * tileColumns * work->rows);
	const int64_t even = divideUp(work->tiles, maxParts);
	work->tilesEach = least > even ? least : even;
	return forParts(context, multiplyPart, divideUp(work->tiles, work->tilesEach), work);
}

static Status *multiplyAll(const Context *context, const Matrix *matrix, const Path *path, const float *x, int64_t rows, float *y) {
	const int64_t band = rows < maxBand ? rows : maxBand;
	Scratch *scratch = takeScratch(activationBytes(matrix, band));
	if (scratch == 0) return outOfMemory();
	Status *status = 0;
	for (int64_t row = 0; row < rows && status == 0; row += band) {
		Work work = {0};
		work.matrix = matrix;
		work.path = path;
		work.activations = placeActivations(matrix, band, alignedTo64(scratch + 1));
		work.x = x + row * matrix->inner;
		work.y = y + row * matrix->columns;
		work.rows = rows - row < band ? rows - row : band;
		status = multiplyBand(context, &work);
	}
	returnScratch(scratch);
	return status;
}

static Status *readShape(const Value *value, int64_t *dims, size_t *rank) {
	Shape *shape = 0;
	check(typeAndShape(api)(value, &shape));
	Status *status = dimensionCount(api)(shape, rank);
	if (status == 0 && (*rank < 1 || *rank > maxRank)) status = refuse("MatMulInt4: X must have 1 to 8 dimensions");
	if (status == 0) status = dimensions(api)(shape, dims, *rank);
	releaseShape(api)(shape);
	return status;
}

static Status *computeKernel(void *state, Context *context) {
	const Matrix *matrix = &((const Kernel *)state)->tiles->matrix;
	const Value *input = 0;
	check(contextInput(api)(context, inputX, &input));
	const Value *offsets = 0;
	Status *absent = contextInput(api)(context, inputOffsets, &offsets);
	if (absent != 0) releaseStatus(api)(absent);
	if (absent == 0 && (offsets != 0) != (matrix->offsetKind != offsetsNone))
		return refuse("MatMulInt4: zero points or minima must be constants");
	int64_t dims[maxRank];
	size_t rank = 0;
	check(readShape(input, dims, &rank));
	if (dims[rank - 1] != matrix->inner) return refuse("MatMulInt4: X does not fit K");
	int64_t rows = 1;
	for (size_t i = 0; i + 1 < rank; i++) rows *= dims[i];
	dims[rank - 1] = matrix->columns;
	Value *output = 0;
	void *x = 0, *y = 0;
	check(contextOutput(api)(context, 0, dims, rank, &output));
	if (rows == 0) return 0;
	check(tensorData(api)((Value *)input, &x));
	check(tensorData(api)(output, &y));
	return multiplyAll(context, matrix, usedPath, x, rows, y);
}

static const char *nameOf(const Operator *op) { return (void)op, "MatMulInt4"; }
static const char *providerOf(const Operator *op) { return (void)op, (const char *)0; }
static size_t countInputs(const Operator *op) { return (void)op, inputCount; }
static size_t countOutputs(const Operator *op) { return (void)op, 1; }
static int outputType(const Operator *op, size_t index) { return (void)op, (void)index, elementFloat; }
static int isOptional(const Operator *op, size_t index) { return (void)op, index >= inputOffsets; }
static int isRequired(const Operator *op, size_t index) { return (void)op, (void)index, 0; }
static int memoryOf(const Operator *op, size_t index) { return (void)op, (void)index, 0; }
static int one(const Operator *op) { return (void)op, 1; }

/* 0: any type. */
static int inputType(const Operator *op, size_t index) {
	static const int types[inputCount] = {elementFloat, elementUint8, 0, 0};
	return (void)op, types[index];
}

static const Operator matMulInt4 = {
	.version = operatorVersion,
	.name = nameOf,
	.provider = providerOf,
	.inputType = inputType,
	.inputCount = countInputs,
	.outputType = outputType,
	.outputCount = countOutputs,
	.destroy = destroyKernel,
	.inputCharacteristic = isOptional,
	.outputCharacteristic = isRequired,
	.inputMemory = memoryOf,
	.minVariadicInputs = one,
	.variadicInputsAreAlike = one,
	.minVariadicOutputs = one,
	.variadicOutputsAreAlike = one,
	.createV2 = createKernel,
	.computeV2 = computeKernel,
};

/* Called with the options of each session that may use the operator. */
exported Status *RegisterCustomOps(Options *options, const ApiBase *base) {
	static Domain *domain;
	api = base->getApi(apiVersion);
	/* Too old: graphs with the operator then fail to open. */
	if (api == 0) return 0;
	if (usedPath == 0) usedPath = bestPath();
	if (domain == 0) {
		check(createDomain(api)("nearglot", &domain));
		check(addOperator(api)(domain, &matMulInt4));
	}
	return addDomain(api)(options, domain);
}

/* Name of the path that is used; `plain` where this processor has no fast one. */
exported const char *NearglotPath(void) {
	if (usedPath == 0) usedPath = bestPath();
	return usedPath->name;
}

/* Uses another path from now on; 0 if there is none of this name here. */
exported int NearglotUsePath(const char *name) {
	const Path *found = pathNamed(name);
	if (found != 0) usedPath = found;
	return found != 0;
}

/*
 * The product without a session, on this thread: for checks. `shape`: rows, K, N, block, zero point, whether
 * scales are half precision. Either zeros or minima, or both null. 0 if there is no such path or too little
 * memory.
 */
exported int NearglotMatMul(
	const char *pathName,
	const int64_t *shape,
	const float *x,
	const uint8_t *weights,
	const void *scales,
	const uint8_t *zeros,
	const void *minima,
	float *y
) {
	const Path *path = pathNamed(pathName);
	if (path == 0) return 0;
	Source source = {0};
	source.weights = weights;
	source.scales = scales;
	source.offsets = zeros != 0 ? (const void *)zeros : minima;
	source.offsetKind = zeros != 0 ? offsetsZeros : minima != 0 ? offsetsMinima : offsetsNone;
	source.inner = shape[1];
	source.columns = shape[2];
	source.block = (int)shape[3];
	source.blocks = divideUp(shape[1], shape[3]);
	source.zero = (int)shape[4];
	source.scalesAreHalf = (int)shape[5];
	Tiles *tiles = makeTiles(&source);
	if (tiles == 0) return 0;
	const Status *status = multiplyAll(0, &tiles->matrix, path, x, shape[0], y);
	free(tiles);
	return status == 0;
}
