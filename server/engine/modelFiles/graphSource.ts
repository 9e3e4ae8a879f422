/** Where a graph is read from: a file, or memory. */

/** A graph that was made here. Its large weights are in files of one folder. */
export interface MemoryGraph {
	/** Name of the file it was made from, for messages. */
	readonly name: string;
	readonly bytes: Uint8Array;
	/** Absolute path of the folder with its weights. */
	readonly folder: string;
	/** It has operators of the engine's own library. */
	readonly ownOperators?: boolean;
}

/** Path of a graph file, whose external data is beside it, or a graph in memory. */
export type GraphSource = string | MemoryGraph;
