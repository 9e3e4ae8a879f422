/* Tiles in memory, made once for all sessions that use the same weights. */

#include "sharedTiles.h"
#include <stdlib.h>

/* All tiles of the process. */
static Tiles *allTiles;
static char isLocked;

static void lock(void) {
	while (__atomic_test_and_set(&isLocked, __ATOMIC_ACQUIRE)) {}
}

static void unlock(void) { __atomic_clear(&isLocked, __ATOMIC_RELEASE); }

static int sameSource(const Source *a, const Source *b) {
	return a->weights == b->weights && a->scales == b->scales && a->offsets == b->offsets && a->inner == b->inner &&
		a->columns == b->columns && a->block == b->block && a->zero == b->zero &&
		a->scalesAreHalf == b->scalesAreHalf && a->offsetKind == b->offsetKind;
}

/* Whether tiles are what this source would give now. */
static int holds(const Tiles *tiles, const Source *source, uint8_t *scratch) {
	const Matrix form = describeTiles(source);
	if (form.recordBytes != tiles->matrix.recordBytes) return 0;
	const size_t bytes = (size_t)form.blocks * form.recordBytes;
	for (int64_t tile = 0; tile < form.tiles; tile++) {
		packTile(source, &form, tile, scratch);
		if (__builtin_memcmp(scratch, tiles->matrix.records + (size_t)tile * bytes, bytes) != 0) return 0;
	}
	return 1;
}

uint8_t *alignedTo64(void *memory) {
	return (uint8_t *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
}

Tiles *makeTiles(const Source *source) {
	const Matrix form = describeTiles(source);
	Tiles *made = malloc(sizeof *made + 64 + tilesBytes(&form));
	if (made == 0) return 0;
	uint8_t *records = alignedTo64(made + 1);
	const size_t bytes = (size_t)form.blocks * form.recordBytes;
	for (int64_t tile = 0; tile < form.tiles; tile++) packTile(source, &form, tile, records + (size_t)tile * bytes);
	made->source = *source;
	made->matrix = form;
	made->matrix.records = records;
	made->users = 1;
	made->next = 0;
	return made;
}

/* Tiles that are there already: sessions of one model share mapped weights. */
static Tiles *findTiles(const Source *source) {
	Tiles *found = 0;
	lock();
	for (Tiles *one = allTiles; one != 0 && found == 0; one = one->next)
		if (sameSource(&one->source, source)) found = one;
	if (found != 0) found->users++;
	unlock();
	return found;
}

void releaseTiles(Tiles *tiles) {
	lock();
	const int isLast = --tiles->users == 0;
	for (Tiles **at = &allTiles; isLast && *at != 0; at = &(*at)->next) {
		if (*at != tiles) continue;
		*at = tiles->next;
		break;
	}
	unlock();
	if (isLast) free(tiles);
}

Tiles *tilesOf(const Source *source) {
	Tiles *found = findTiles(source);
	if (found != 0) {
		uint8_t *scratch = malloc((size_t)found->matrix.blocks * found->matrix.recordBytes);
		const int isSame = scratch != 0 && holds(found, source, scratch);
		free(scratch);
		if (isSame) return found;
		releaseTiles(found);
	}
	Tiles *made = makeTiles(source);
	if (made == 0) return 0;
	lock();
	made->next = allTiles;
	allTiles = made;
	unlock();
	return made;
}
