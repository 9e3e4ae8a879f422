/** Messages between the page on which new messages are looked through, and the extension. */

import type { MessageTerm } from './editingMessages.ts';
import { isRecord } from './errorBody.ts';

/** What becomes of a message: nothing yet, it is to be put into its file, it is not, it was. */
export type ReviewDecision = 'open' | 'accepted' | 'skipped' | 'written';

/** A message that a translated file lacks, or whose source has changed, with what it could say. */
export interface ReviewRow {
	/** Unique on the page. */
	readonly id: string;
	/** As code names it: `files.open`. */
	readonly key: string;
	/** Path of the translated file in its folder. */
	readonly path: string;
	/** BCP 47 code of the translated file. */
	readonly to: string;
	readonly source: string;
	/** What goes into the file; empty where no translation could be kept. */
	readonly text: string;
	readonly decision: ReviewDecision;
	/** What the file says of a source that has changed since; absent where it says nothing. */
	readonly before?: string;
	/** Somebody has changed the proposal. */
	readonly isEdited: boolean;
	/** Part of a sentence, in English: why a program could not use the text. */
	readonly fault?: string;
	/** Estimate of the model, 0…1. */
	readonly quality?: number;
	readonly terms?: readonly MessageTerm[];
}

export interface ReviewState {
	/** Path of the source file in its folder. */
	readonly source: string;
	/** Languages there are rows of, or will be, with their names. */
	readonly languages: readonly { readonly to: string; readonly name: string }[];
	/** What is translated now. */
	readonly progress: {
		readonly language: string;
		readonly done: number;
		readonly total: number;
	} | null;
	/** Why the work has ended early. */
	readonly problem: string | null;
	/** What the last writing has done, as a sentence. */
	readonly note: string | null;
}

/** From the extension to the page. */
export type ReviewHostMessage =
	| {
			readonly type: 'state';
			readonly state: ReviewState;
			/** All of them. */
			readonly rows: readonly ReviewRow[];
			readonly strings: Readonly<Record<string, string>>;
	  }
	/** The same without rows that have not changed; new ones come behind those that are known. */
	| { readonly type: 'change'; readonly state: ReviewState; readonly rows: readonly ReviewRow[] };

/** From the page to the extension. */
export type ReviewPageMessage =
	| { readonly type: 'ready' | 'stop' | 'again' | 'write' }
	| {
			readonly type: 'decide';
			readonly ids: readonly string[];
			readonly decision: Exclude<ReviewDecision, 'written'>;
	  }
	| { readonly type: 'edit'; readonly id: string; readonly text: string }
	/** Shows the message in its source file. */
	| { readonly type: 'reveal'; readonly id: string };

const decisions: readonly unknown[] = ['open', 'accepted', 'skipped'];

/** Checks what came out of a page: it is input like any other. `undefined` when it is not valid. */
export function parseReviewMessage(value: unknown): ReviewPageMessage | undefined {
	if (!isRecord(value)) return undefined;
	const { type, ids, decision, id, text } = value;
	switch (type) {
		case 'ready':
		case 'stop':
		case 'again':
		case 'write':
			return { type };
		case 'decide':
			if (!Array.isArray(ids) || !ids.every((one) => typeof one === 'string')) return undefined;
			if (!decisions.includes(decision)) return undefined;
			return { type, ids: ids as string[], decision: decision as 'open' | 'accepted' | 'skipped' };
		case 'edit':
			return typeof id === 'string' && typeof text === 'string' ? { type, id, text } : undefined;
		case 'reveal':
			return typeof id === 'string' ? { type, id } : undefined;
		default:
			return undefined;
	}
}
