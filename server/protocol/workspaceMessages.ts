/** Questions about a whole workspace: what an editor sends, and the pieces that are found. */

/** Folders are `file:` URIs, and only those a person trusts: the server reads whatever is in them. */
export interface WorkspaceSearchParams {
	readonly folders: readonly string[];
	readonly question: string;
	/** Pieces that are wanted, 1…50; 8 when left out. */
	readonly limit?: number;
	/** Token of the `$/progress` notifications that carry {@link WorkspaceProgress}. */
	readonly partialResultToken?: string | number;
}

/** Files that have been read of those that are new or have changed. */
export interface WorkspaceProgress {
	readonly files: number;
	readonly of: number;
}

/** Lines of a file that probably answer. */
export interface WorkspacePiece {
	readonly uri: string;
	/** Relative to its folder, with slashes. */
	readonly path: string;
	/** Language identifier of the editor. */
	readonly language: string;
	/** From 0; the last one is part of it. */
	readonly startLine: number;
	readonly endLine: number;
	readonly text: string;
	readonly by: readonly ('words' | 'meaning')[];
}

export interface WorkspaceSearchResult {
	/** Best first. */
	readonly pieces: readonly WorkspacePiece[];
	readonly files: number;
	readonly chunks: number;
	/** Chunks whose meaning is known; it goes on growing after the first question. */
	readonly embedded: number;
	/** Model that makes vectors; absent: only words are compared. */
	readonly embedder?: string;
	/** Model that has put the pieces in order. */
	readonly reranker?: string;
}

/** Files or folders that were made, saved or removed. */
export interface WorkspaceChanges {
	readonly uris: readonly string[];
}

/** Folders whose index is removed. */
export interface WorkspaceFolders {
	readonly folders: readonly string[];
}
