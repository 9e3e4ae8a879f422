/* Tiles in memory, made once for all sessions that use the same weights. */
#pragma once

#include "matmul.h"

typedef struct Tiles Tiles;
struct Tiles {
	Tiles *next;
	/* What they were made of; it may have been replaced since by something else in the same place. */
	Source source;
	Matrix matrix;
	int64_t users;
};

/* New tiles, for one user and not shared; null if memory is short. To be freed, not released. */
Tiles *makeTiles(const Source *source);
/* The tiles of these weights, those of another user if there are any; null if memory is short. */
Tiles *tilesOf(const Source *source);
void releaseTiles(Tiles *tiles);

/* The first place in memory that is a multiple of 64. */
uint8_t *alignedTo64(void *memory);
