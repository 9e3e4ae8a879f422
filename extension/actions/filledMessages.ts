/** Message files to be filled, and what they were filled with. */

import type * as vscode from 'vscode';
import type { TranslateMissingResult } from '../../server/protocol/index.ts';

/** A file to be filled. */
export interface MessageTarget {
	readonly uri: vscode.Uri;
	readonly path: string;
	readonly to: string;
	readonly isNew: boolean;
}

/** A file with what it lacked. */
export interface FilledMessages extends MessageTarget {
	readonly text: string;
	readonly before: string;
	readonly added: TranslateMissingResult['added'];
	readonly refused: readonly string[];
	/** Of those that were added, as they are in the source in whole or in part. */
	readonly kept: number;
	/** The same without some messages, by their source texts. */
	readonly fillWithout: (
		texts: readonly string[],
	) => Promise<Pick<TranslateMissingResult, 'text' | 'added' | 'kept'>>;
}
